package io.ratelimit.spring.internal.operate;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.internal.operate.RequestExplanation.RuleExplanation;
import io.ratelimit.spring.internal.rule.CallCharges;
import io.ratelimit.spring.internal.web.ProblemResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One of the decisions on an explained request, about all rules of one {@link ExplainedRule.Part}.
 *
 * @param acquisition what it would charge; empty if nothing, or if it never admits the request
 * @param refusal what the application throws instead of admitting the request; null if it admits it
 * @param retryAfter the time until it would admit the request; null if that is not known, or it never will
 * @param refusedBy names of the limits that refuse, or would without report-only
 * @param inWords explains what one of the rules contributes
 */
record ExplainedDecision(
        Optional<Acquisition> acquisition,
        @Nullable RuntimeException refusal,
        @Nullable Duration retryAfter,
        List<String> refusedBy,
        Function<ExplainedRule, RuleExplanation> inWords) {

    /** Peeks at all limits of these rules together, as the request would charge them. */
    static ExplainedDecision of(List<ExplainedRule> rules, RateLimiter limiter) {
        ExplainedDecision fitting = ofAllThatFit(rules, limiter);
        return rules.stream()
                .flatMap(rule -> Stream.ofNullable(rule.tooMuch()))
                .findFirst()
                .map(tooMuch -> refused(tooMuch, List.of(tooMuch.limitName()), fitting.inWords))
                .orElse(fitting);
    }

    private static ExplainedDecision ofAllThatFit(List<ExplainedRule> rules, RateLimiter limiter) {
        try {
            Optional<CallCharges> together = CallCharges.together(
                    rules.stream().flatMap(rule -> rule.callCharges().stream()).toList());
            return together.map(charges -> peeked(charges.acquisition(), limiter))
                    .orElseGet(() -> new ExplainedDecision(
                            Optional.empty(), null, Duration.ZERO, List.of(), ExplainedRule::notCharged));
        } catch (CostExceedsCapacityException tooMuch) {
            return refused(tooMuch, List.of(tooMuch.limitName()), rule -> rule.refused(tooMuch));
        } catch (StoreUnavailableException closed) {
            return refused(closed, List.of(), ExplainedRule::unavailable);
        }
    }

    /** Refused without a wait after which it would be admitted. */
    private static ExplainedDecision refused(
            RuntimeException refusal, List<String> refusedBy, Function<ExplainedRule, RuleExplanation> inWords) {
        return new ExplainedDecision(Optional.empty(), refusal, null, refusedBy, inWords);
    }

    /** Peeks at all limits of the acquisition. */
    static ExplainedDecision peeked(Acquisition acquisition, RateLimiter limiter) {
        Decision decision = limiter.peek(acquisition);
        return new ExplainedDecision(
                Optional.of(acquisition),
                decision.allowed() ? null : new RateLimitExceededException(decision),
                decision.allowed() ? Duration.ZERO : decision.retryAfter(),
                decision.refusing().stream()
                        .map(refusing -> refusing.limit().name())
                        .distinct()
                        .toList(),
                rule -> rule.answered(acquisition, decision));
    }

    /** The same, refused because an earlier decision on the request always takes what this one needs of the limit. */
    ExplainedDecision refusedFor(String limit) {
        RuntimeException exceeded = new RateLimitExceededException(Decision.unanswered());
        return new ExplainedDecision(acquisition, exceeded, null, List.of(limit), inWords);
    }

    List<Charge> charges() {
        return acquisition.map(Acquisition::charges).orElseGet(List::of);
    }

    boolean refuses() {
        return refusal != null;
    }

    /** Returns the HTTP status of the refusal, or null if the request is admitted. */
    @Nullable
    Integer status() {
        return refusal == null
                ? null
                : Objects.requireNonNull(ProblemResponse.of(refusal, name -> true))
                        .status();
    }

    /** Returns whether a fallback method answers the refusal if there is one. */
    boolean isForFallback() {
        return refusal instanceof RateLimitExceededException;
    }
}
