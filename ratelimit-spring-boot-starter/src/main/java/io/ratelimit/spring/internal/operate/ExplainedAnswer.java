package io.ratelimit.spring.internal.operate;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.StateId;
import io.ratelimit.spring.internal.operate.ExplainedRule.Part;
import io.ratelimit.spring.internal.operate.RequestExplanation.RuleExplanation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the application would answer to an explained request: its decisions, one after the other, until one refuses.
 *
 * @param decisions the decision of each part by itself
 * @param refusal the first that refuses; null if none does
 * @param fallsBack whether a method of the application answers what is refused
 */
record ExplainedAnswer(
        Map<Part, ExplainedDecision> decisions, @Nullable ExplainedDecision refusal, boolean fallsBack) {

    /** Peeks at the limits of each part, which are charged after those of the parts before it. */
    static ExplainedAnswer of(List<ExplainedRule> rules, RateLimiter limiter, boolean reportOnly) {
        Map<Part, ExplainedDecision> decisions = new EnumMap<>(Part.class);
        List<Charge> charged = new ArrayList<>();
        ExplainedDecision refusal = null;
        boolean fallsBack = false;
        for (Part part : Part.values()) {
            List<ExplainedRule> own =
                    rules.stream().filter(rule -> rule.part() == part).toList();
            ExplainedDecision alone = ExplainedDecision.of(own, limiter);
            decisions.put(part, alone);
            if (refusal == null) {
                ExplainedDecision after = alone.refuses() ? alone : after(charged, alone, limiter, reportOnly);
                refusal = after.refuses() ? after : null;
                fallsBack = own.stream().anyMatch(ExplainedRule::fallsBack);
                charged.addAll(alone.charges());
            }
        }
        return new ExplainedAnswer(decisions, refusal, fallsBack);
    }

    /** Returns the decision that follows after earlier decisions on the request have charged the same states. */
    private static ExplainedDecision after(
            List<Charge> charged, ExplainedDecision alone, RateLimiter limiter, boolean reportOnly) {
        Set<StateId> own = alone.charges().stream().map(StateId::of).collect(Collectors.toSet());
        List<Charge> both = new ArrayList<>(charged);
        both.removeIf(charge -> charge.element().isPresent() || !own.contains(StateId.of(charge)));
        if (both.isEmpty()) {
            return alone;
        }
        both.addAll(alone.charges());
        try {
            return ExplainedDecision.peeked(
                    new Acquisition(both, alone.acquisition().orElseThrow().onStoreFailure()), limiter);
        } catch (CostExceedsCapacityException never) {
            return reportOnly ? alone : alone.refusedFor(never.limitName());
        }
    }

    RuleExplanation inWords(ExplainedRule rule) {
        return Objects.requireNonNull(decisions.get(rule.part())).inWords().apply(rule);
    }

    boolean isAllowed() {
        return refusal == null;
    }

    /** Null also if a fallback method answers, because its answer is not known. */
    @Nullable
    Integer status() {
        return refusal == null || (fallsBack && refusal.isForFallback()) ? null : refusal.status();
    }

    @Nullable
    String retryAfter() {
        Duration wait = refusal == null ? Duration.ZERO : refusal.retryAfter();
        return wait == null ? null : wait.toString();
    }

    List<String> refusedBy() {
        return refusal != null
                ? refusal.refusedBy()
                : decisions.values().stream()
                        .flatMap(decision -> decision.refusedBy().stream())
                        .distinct()
                        .toList();
    }
}
