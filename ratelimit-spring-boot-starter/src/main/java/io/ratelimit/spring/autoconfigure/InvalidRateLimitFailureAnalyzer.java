package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells a limit that cannot work without a stack trace. */
final class InvalidRateLimitFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRateLimitException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidRateLimitException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Correct %s. All of rate-limiter.* is described in the project's docs/configuration.md."
                        .formatted(cause.where()),
                cause);
    }
}
