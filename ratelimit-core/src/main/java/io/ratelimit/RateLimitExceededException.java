package io.ratelimit;

import java.util.stream.Collectors;

/** A call was refused. Carries the decision, and never the subject. */
public final class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Decision decision;

    public RateLimitExceededException(Decision decision) {
        super("refused by %s, retry after %s".formatted(names(decision), decision.retryAfter()));
        this.decision = decision;
    }

    public Decision decision() {
        return decision;
    }

    private static String names(Decision decision) {
        return decision.refusing().stream()
                .map(status -> "limit '%s'".formatted(status.limit().name()))
                .collect(Collectors.joining(" and "));
    }
}
