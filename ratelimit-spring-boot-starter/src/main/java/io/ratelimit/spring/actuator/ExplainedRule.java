package io.ratelimit.spring.actuator;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.actuator.RequestExplanation.RuleExplanation;
import io.ratelimit.spring.aop.LimitedMethod;
import io.ratelimit.spring.key.Call;
import io.ratelimit.spring.key.ClientAddresses;
import io.ratelimit.spring.key.NotKnownException;
import io.ratelimit.spring.rule.Asked;
import io.ratelimit.spring.rule.Rule;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/**
 * What a rule asks of an explained request.
 *
 * @param part which of the decisions on the request asks it
 * @param asked empty if it asks nothing; the notes say why
 * @param tooMuch thrown because the request costs more than a limit of the rule can ever admit; null otherwise
 * @param fallsBack whether another method answers a request that is refused with a 429
 */
record ExplainedRule(
        Part part,
        String declaredBy,
        Rule rule,
        Optional<Asked> asked,
        @Nullable CostExceedsCapacityException tooMuch,
        boolean fallsBack,
        List<String> notes) {

    /** The decisions on a request, in their order. */
    enum Part {
        /** Of the routes that need no principal, where Spring Security authenticates requests. */
        BEFORE_AUTHENTICATION,
        /** Of all other routes. */
        AUTHENTICATED,
        /** Of the annotations on the method. */
        METHOD
    }

    /** A rule whose refusals no fallback answers. */
    private ExplainedRule(
            Part part,
            String declaredBy,
            Rule rule,
            Optional<Asked> asked,
            @Nullable CostExceedsCapacityException tooMuch,
            List<String> notes) {
        this(part, declaredBy, rule, asked, tooMuch, false, notes);
    }

    /** What the rule would ask if the request came now. */
    static ExplainedRule of(
            Part part, String declaredBy, Rule rule, RequestView request, Supplier<EvaluationContext> variables) {
        List<String> notes = new ArrayList<>();
        try {
            Optional<Asked> asked = Rule.asked(List.of(rule), Call.explained(request, variables, notes::add));
            notes.addAll(
                    asked.isPresent()
                            ? notesOnAddress(asked.get())
                            : List.of("does not apply: its condition is false"));
            return new ExplainedRule(part, declaredBy, rule, asked, null, notes);
        } catch (NotKnownException unknown) {
            notes.add("not known: " + unknown.getMessage());
            return new ExplainedRule(part, declaredBy, rule, Optional.empty(), null, notes);
        } catch (CostExceedsCapacityException tooMuch) {
            notes.add("refuses: " + tooMuch.getMessage());
            return new ExplainedRule(part, declaredBy, rule, Optional.empty(), tooMuch, notes);
        }
    }

    /** A rule that such a request passes by. */
    static ExplainedRule passed(String declaredBy, Rule rule, String why) {
        return new ExplainedRule(
                Part.AUTHENTICATED, declaredBy, rule, Optional.empty(), null, List.of("does not apply: " + why));
    }

    /** The same rule as one of an annotated method, which may answer refusals in its own way. */
    ExplainedRule ofMethod(LimitedMethod method) {
        List<String> all = new ArrayList<>(notes);
        Method fallback = method.fallback();
        if (asked.isPresent()) {
            rule.limits().stream()
                    .flatMap(limit -> Stream.ofNullable(method.publicLimits().get(limit.name())))
                    .forEach(seen -> all.add("clients see the limit as " + seen.name()));
            if (!method.maxWait().isZero()) {
                all.add("a call waits up to " + method.maxWait() + " until it fits");
            }
            if (fallback != null) {
                all.add("fallbackMethod " + fallback.getName() + " answers a refused call");
            }
        }
        return new ExplainedRule(part, declaredBy, rule, asked, tooMuch, fallback != null, all);
    }

    private static List<String> notesOnAddress(Asked asked) {
        return subject(asked).equals("ip:" + ClientAddresses.UNKNOWN)
                ? List.of("the client's address is not known: name it, such as address=203.0.113.7")
                : List.of();
    }

    private static String subject(Asked asked) {
        return asked.acquisition().charges().get(0).subject();
    }

    private List<Charge> charges() {
        return asked.map(one -> one.acquisition().charges()).orElseGet(List::of);
    }

    private boolean charges(String limit) {
        return charges().stream().anyMatch(charge -> charge.limit().name().equals(limit));
    }

    /** The rule beside what all limits together have answered. */
    RuleExplanation answered(Acquisition together, Decision decision) {
        List<SubjectState> states = new ArrayList<>();
        for (Charge charge : charges()) {
            int index = indexOf(charge, together);
            if (index < decision.limits().size()) { // an application's own limiter may leave them out
                states.add(SubjectState.of(decision, index));
            }
        }
        return explanation(
                states,
                decision.limits().isEmpty() && asked.isPresent()
                        ? "no store answers, and the request is allowed"
                        : null);
    }

    /** The rule beside a request that is refused because of one limit, which all rules together charge too much. */
    RuleExplanation refused(CostExceedsCapacityException tooMuch) {
        return explanation(List.of(), charges(tooMuch.limitName()) ? "refuses: " + tooMuch.getMessage() : null);
    }

    /** The rule while no store answers, which refuses. */
    RuleExplanation unavailable() {
        return explanation(
                List.of(),
                asked.isPresent() ? "no store answers, and on-store-failure: closed refuses the request" : null);
    }

    /** The rule if no limit is asked. */
    RuleExplanation unasked() {
        return explanation(List.of(), null);
    }

    private RuleExplanation explanation(List<SubjectState> states, @Nullable String note) {
        List<String> all = new ArrayList<>(notes);
        if (note != null) {
            all.add(note);
        }
        return new RuleExplanation(
                declaredBy,
                rule.key().text(),
                asked.map(ExplainedRule::subject).orElse(null),
                states,
                all.isEmpty() ? null : String.join("; ", all));
    }

    /** Equal limits and subjects of several rules are one charge. */
    private static int indexOf(Charge charge, Acquisition together) {
        int index = 0;
        while (!together.charges().get(index).limit().equals(charge.limit())
                || !together.charges().get(index).subject().equals(charge.subject())) {
            index++;
        }
        return index;
    }
}
