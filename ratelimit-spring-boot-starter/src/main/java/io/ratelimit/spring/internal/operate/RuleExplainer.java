package io.ratelimit.spring.internal.operate;

import io.ratelimit.Acquisition;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.operate.RequestExplainer.RequestExplanation.RuleExplanation;
import io.ratelimit.spring.internal.rule.Call;
import io.ratelimit.spring.internal.rule.CallCharges;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.InvalidCostException;
import io.ratelimit.spring.internal.rule.NotKnownException;
import io.ratelimit.spring.internal.rule.Rule;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/** Explains each rule of one request by itself, and collects which limits refuse. Not thread-safe. */
final class RuleExplainer {

    private final RateLimiter limiter;
    private final RequestView request;
    private final Function<Limit, String> from;
    private final Set<String> refusedBy = new LinkedHashSet<>();

    RuleExplainer(RateLimiter limiter, RequestView request, Function<Limit, String> from) {
        this.limiter = limiter;
        this.request = request;
        this.from = from;
    }

    /** Returns the names of the limits that refuse the request, of all rules explained so far. */
    List<String> refusedBy() {
        return List.copyOf(refusedBy);
    }

    /** Peeks at the limits of the rule, as the request would charge them if it came now. */
    RuleExplanation explain(
            String declaredBy,
            Rule rule,
            Supplier<EvaluationContext> variables,
            Function<String, @Nullable String> path,
            List<String> more) {
        List<String> notes = new ArrayList<>();
        try {
            Optional<CallCharges> charges =
                    Rule.charges(List.of(rule), Call.explained(request, variables, path, notes::add));
            if (charges.isPresent()) {
                notes.addAll(more);
                return charged(declaredBy, rule, charges.get().acquisition(), notes);
            }
            if (notes.isEmpty()) {
                notes.add("does not apply: its condition is false");
            }
        } catch (NotKnownException unknown) {
            notes.add("not known: " + unknown.getMessage());
        } catch (InvalidCostException bad) {
            notes.add("answers 400: " + bad.getMessage());
        } catch (CostExceedsCapacityException never) {
            refusedBy.add(never.limitName());
            notes.add("refuses: " + never.getMessage());
        }
        return explanation(declaredBy, rule, null, List.of(), notes);
    }

    /** Explains a rule that does not apply to such a request. */
    static RuleExplanation passed(String declaredBy, Rule rule, String why) {
        return explanation(declaredBy, rule, null, List.of(), List.of("does not apply: " + why));
    }

    /** Explains a rule of a route that denies the request, so that nothing is charged. */
    RuleExplanation denied(String declaredBy, Rule rule) {
        refusedBy.add("deny");
        return explanation(
                declaredBy, rule, null, List.of(), List.of("refuses with 403: an entry of deny lists the request"));
    }

    private RuleExplanation charged(String declaredBy, Rule rule, Acquisition acquisition, List<String> notes) {
        String subject = acquisition.charges().get(0).subject();
        if (subject.equals("ip:" + ClientAddresses.UNKNOWN)) {
            notes.add("the client's address is not known: name it, such as address=203.0.113.7");
        }
        return explanation(declaredBy, rule, subject, states(acquisition, notes), notes);
    }

    private List<SubjectState> states(Acquisition acquisition, List<String> notes) {
        try {
            Decision decision = limiter.peek(acquisition);
            decision.refusing().forEach(status -> refusedBy.add(status.limit().name()));
            List<SubjectState> states = SubjectState.all(decision, from);
            if (states.isEmpty()) {
                notes.add("no store answers, and the request is allowed");
            }
            return states;
        } catch (StoreUnavailableException closed) {
            notes.add("no store answers, and on-store-failure: closed refuses the request");
            return List.of();
        }
    }

    private static RuleExplanation explanation(
            String declaredBy, Rule rule, @Nullable String subject, List<SubjectState> states, List<String> notes) {
        return new RuleExplanation(
                declaredBy, rule.key().text(), subject, states, notes.isEmpty() ? null : String.join("; ", notes));
    }
}
