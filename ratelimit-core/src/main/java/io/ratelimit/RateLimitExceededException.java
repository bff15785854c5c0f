package io.ratelimit;

import java.util.stream.Collectors;

/**
 * Thrown if a call is refused. It contains the decision, but no subject, and no stack trace: it is no defect, and what has no
 * client to answer, such as a scheduled method, logs it at every refusal.
 */
public final class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Decision decision;

    public RateLimitExceededException(Decision decision) {
        super("refused by %s, retry after %s".formatted(names(decision), decision.retryAfter()), null, true, false);
        this.decision = decision;
    }

    /** Returns the decision, for example for {@link Decision#retryAfter}; null after deserialization. */
    public Decision decision() {
        return decision;
    }

    private static String names(Decision decision) {
        return decision.refusing().stream()
                .map(status -> "limit '%s'".formatted(status.limit().name()))
                .collect(Collectors.joining(" and "));
    }
}
