package io.ratelimit.spring.actuator;

import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.actuator.RequestExplanation.RuleExplanation;
import io.ratelimit.spring.http.ProblemResponse;
import io.ratelimit.spring.rule.Asked;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the application would answer to an explained request, and what its rules have to do with it.
 *
 * @param refusal what the application's filter or method would fail with; null if it would not
 * @param decision of all limits; allowed and without limits if none was asked
 * @param inWords what a rule has to do with it
 */
record ExplainedAnswer(
        @Nullable RuntimeException refusal, Decision decision, Function<ExplainedRule, RuleExplanation> inWords) {

    /** Peeks at all limits of all rules together, as the request would charge them. */
    static ExplainedAnswer of(List<ExplainedRule> rules, RateLimiter limiter) {
        ExplainedAnswer answer = ofAllThatFit(rules, limiter);
        return rules.stream()
                .flatMap(rule -> Stream.ofNullable(rule.tooMuch()))
                .findFirst()
                .map(tooMuch -> new ExplainedAnswer(tooMuch, answer.decision, answer.inWords))
                .orElse(answer);
    }

    private static ExplainedAnswer ofAllThatFit(List<ExplainedRule> rules, RateLimiter limiter) {
        try {
            Optional<Asked> together = Asked.together(
                    rules.stream().flatMap(rule -> rule.asked().stream()).toList());
            return together.map(asked -> peeked(asked, limiter))
                    .orElseGet(() -> new ExplainedAnswer(null, Decision.unanswered(), ExplainedRule::unasked));
        } catch (CostExceedsCapacityException tooMuch) {
            return new ExplainedAnswer(tooMuch, Decision.unanswered(), rule -> rule.refused(tooMuch));
        } catch (StoreUnavailableException closed) {
            return new ExplainedAnswer(closed, Decision.unanswered(), ExplainedRule::unavailable);
        }
    }

    private static ExplainedAnswer peeked(Asked asked, RateLimiter limiter) {
        Decision decision = limiter.peek(asked.acquisition());
        return new ExplainedAnswer(
                decision.allowed() ? null : new RateLimitExceededException(decision),
                decision,
                rule -> rule.answered(asked.acquisition(), decision));
    }

    /** The status of the refusal; null if the request goes on. */
    @Nullable
    Integer status() {
        return refusal == null
                ? null
                : Objects.requireNonNull(ProblemResponse.of(refusal, name -> true))
                        .status();
    }

    /** The time until the request would be admitted; null if that is not known, or it never will be. */
    @Nullable
    String retryAfter() {
        if (refusal == null) {
            return "PT0S";
        }
        return refusal instanceof RateLimitExceededException
                ? decision.retryAfter().toString()
                : null;
    }

    List<String> refusedBy() {
        return decision.refusing().stream()
                .map(status -> status.limit().name())
                .distinct()
                .toList();
    }
}
