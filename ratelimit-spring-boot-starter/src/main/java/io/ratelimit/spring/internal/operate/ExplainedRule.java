package io.ratelimit.spring.internal.operate;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.method.LimitedMethod;
import io.ratelimit.spring.internal.operate.RequestExplanation.RuleExplanation;
import io.ratelimit.spring.internal.rule.Call;
import io.ratelimit.spring.internal.rule.CallCharges;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.NotKnownException;
import io.ratelimit.spring.internal.rule.Rule;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/**
 * What a rule would charge an explained request.
 *
 * @param part the decision on the request that the rule belongs to
 * @param callCharges empty if it charges nothing; the notes say why
 * @param tooMuch thrown because the request costs more than a limit of the rule can ever admit; null otherwise
 * @param fallsBack whether another method answers a request that is refused with a 429
 */
record ExplainedRule(
        Part part,
        String declaredBy,
        Rule rule,
        Optional<CallCharges> callCharges,
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
            Optional<CallCharges> callCharges,
            @Nullable CostExceedsCapacityException tooMuch,
            List<String> notes) {
        this(part, declaredBy, rule, callCharges, tooMuch, false, notes);
    }

    /** What the rule would charge if the request came now. */
    static ExplainedRule of(
            Part part, String declaredBy, Rule rule, RequestView request, Supplier<EvaluationContext> variables) {
        List<String> notes = new ArrayList<>();
        try {
            Optional<CallCharges> charges = Rule.charges(List.of(rule), Call.explained(request, variables, notes::add));
            notes.addAll(
                    charges.isPresent()
                            ? notesOnAddress(charges.get())
                            : List.of("does not apply: its condition is false"));
            return new ExplainedRule(part, declaredBy, rule, charges, null, notes);
        } catch (NotKnownException unknown) {
            notes.add("not known: " + unknown.getMessage());
            return new ExplainedRule(part, declaredBy, rule, Optional.empty(), null, notes);
        } catch (CostExceedsCapacityException tooMuch) {
            notes.add("refuses: " + tooMuch.getMessage());
            return new ExplainedRule(part, declaredBy, rule, Optional.empty(), tooMuch, notes);
        }
    }

    /** A rule that does not apply to such a request. */
    static ExplainedRule passed(String declaredBy, Rule rule, String why) {
        return new ExplainedRule(
                Part.AUTHENTICATED, declaredBy, rule, Optional.empty(), null, List.of("does not apply: " + why));
    }

    /** The same rule as one of an annotated method, which may answer refusals in its own way. */
    ExplainedRule ofMethod(LimitedMethod method) {
        List<String> all = new ArrayList<>(notes);
        Method fallback = method.fallback();
        if (callCharges.isPresent()) {
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
        return new ExplainedRule(part, declaredBy, rule, callCharges, tooMuch, fallback != null, all);
    }

    private static List<String> notesOnAddress(CallCharges charges) {
        return subject(charges).equals("ip:" + ClientAddresses.UNKNOWN)
                ? List.of("the client's address is not known: name it, such as address=203.0.113.7")
                : List.of();
    }

    private static String subject(CallCharges charges) {
        return charges.acquisition().charges().get(0).subject();
    }

    private List<Charge> charges() {
        return callCharges.map(one -> one.acquisition().charges()).orElseGet(List::of);
    }

    private boolean charges(String limit) {
        return charges().stream().anyMatch(charge -> charge.limit().name().equals(limit));
    }

    /** Explains the rule by the answer of all limits together. */
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
                decision.limits().isEmpty() && callCharges.isPresent()
                        ? "no store answers, and the request is allowed"
                        : null);
    }

    /**
     * Explains the rule for a request that is refused because all rules together charge a limit more than it ever
     * admits.
     */
    RuleExplanation refused(CostExceedsCapacityException tooMuch) {
        return explanation(List.of(), charges(tooMuch.limitName()) ? "refuses: " + tooMuch.getMessage() : null);
    }

    /** Explains the rule while no store answers and the request is refused for that. */
    RuleExplanation unavailable() {
        return explanation(
                List.of(),
                callCharges.isPresent() ? "no store answers, and on-store-failure: closed refuses the request" : null);
    }

    /** Explains the rule if no limit is charged. */
    RuleExplanation notCharged() {
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
                callCharges.map(ExplainedRule::subject).orElse(null),
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
