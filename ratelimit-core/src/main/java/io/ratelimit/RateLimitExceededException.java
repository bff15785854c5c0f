package io.ratelimit;

import java.util.stream.Collectors;

/**
 * Thrown if a call is refused. It contains the decision, but no subject. It has no stack trace, because a refusal is
 * not a defect, and a caller without a client, such as a scheduled method, logs the exception at every refusal.
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
