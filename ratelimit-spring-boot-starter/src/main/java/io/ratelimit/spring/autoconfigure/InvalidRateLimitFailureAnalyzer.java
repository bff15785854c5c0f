package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Explains a limit that cannot work, without a stack trace. Comes before Spring Boot's analyzers, of which some explain
 * a cause of it, such as a path pattern, with advice that does not help here.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidRateLimitFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRateLimitException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidRateLimitException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Correct %s. The project's %s says more."
                        .formatted(cause.where(), cause.code().page()),
                cause);
    }
}
