package io.ratelimit.spring.actuator;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.actuator.RequestExplanation.RuleExplanation;
import io.ratelimit.spring.http.ProblemResponse;
import io.ratelimit.spring.rule.Asked;
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
 * @param asks what it would charge; empty if nothing, or if it never admits the request
 * @param status the HTTP status of its refusal; null if it admits the request
 * @param retryAfter the time until it would admit the request; null if that is not known, or it never will
 * @param refusedBy names of the limits that refuse, or would without report-only
 * @param inWords what a rule has to do with it
 */
record ExplainedDecision(
        Optional<Acquisition> asks,
        @Nullable Integer status,
        @Nullable Duration retryAfter,
        List<String> refusedBy,
        Function<ExplainedRule, RuleExplanation> inWords) {

    /** Peeks at all limits of these rules together, as the request would charge them. */
    static ExplainedDecision of(List<ExplainedRule> rules, RateLimiter limiter) {
        ExplainedDecision fitting = ofAllThatFit(rules, limiter);
        return rules.stream()
                .flatMap(rule -> Stream.ofNullable(rule.tooMuch()))
                .findFirst()
                .map(tooMuch -> new ExplainedDecision(
                        Optional.empty(), status(tooMuch), null, List.of(tooMuch.limitName()), fitting.inWords))
                .orElse(fitting);
    }

    private static ExplainedDecision ofAllThatFit(List<ExplainedRule> rules, RateLimiter limiter) {
        try {
            Optional<Asked> together = Asked.together(
                    rules.stream().flatMap(rule -> rule.asked().stream()).toList());
            return together.map(asked -> peeked(asked.acquisition(), limiter))
                    .orElseGet(() -> new ExplainedDecision(
                            Optional.empty(), null, Duration.ZERO, List.of(), ExplainedRule::unasked));
        } catch (CostExceedsCapacityException tooMuch) {
            return new ExplainedDecision(
                    Optional.empty(),
                    status(tooMuch),
                    null,
                    List.of(tooMuch.limitName()),
                    rule -> rule.refused(tooMuch));
        } catch (StoreUnavailableException closed) {
            return new ExplainedDecision(Optional.empty(), status(closed), null, List.of(), ExplainedRule::unavailable);
        }
    }

    /** Peeks at all limits of what is asked. */
    static ExplainedDecision peeked(Acquisition asked, RateLimiter limiter) {
        Decision decision = limiter.peek(asked);
        return new ExplainedDecision(
                Optional.of(asked),
                decision.allowed() ? null : status(new RateLimitExceededException(decision)),
                decision.allowed() ? Duration.ZERO : decision.retryAfter(),
                decision.refusing().stream()
                        .map(refusing -> refusing.limit().name())
                        .distinct()
                        .toList(),
                rule -> rule.answered(asked, decision));
    }

    /** The same, refused because an earlier decision on the request always takes what this one needs of the limit. */
    ExplainedDecision refusedFor(String limit) {
        int status = status(new RateLimitExceededException(Decision.unanswered()));
        return new ExplainedDecision(asks, status, null, List.of(limit), inWords);
    }

    List<Charge> charges() {
        return asks.map(Acquisition::charges).orElseGet(List::of);
    }

    boolean refuses() {
        return status != null;
    }

    private static int status(RuntimeException refusal) {
        return Objects.requireNonNull(ProblemResponse.of(refusal, name -> true)).status();
    }
}
