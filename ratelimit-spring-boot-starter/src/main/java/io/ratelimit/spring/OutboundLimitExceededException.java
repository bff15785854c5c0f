package io.ratelimit.spring;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import java.util.stream.Collectors;

/**
 * Thrown in place of a response by an HTTP client to which {@code rate-limiter.clients} applies, if a request does not fit
 * within {@code max-wait}. Nothing was sent. Where a web request of the application ends with it, the answer is 503 with
 * {@code Retry-After}, because the caller has exceeded no limit of its own. It contains no subject and no stack trace.
 */
public final class OutboundLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String client;
    private final transient Decision decision;

    public OutboundLimitExceededException(String client, Decision decision) {
        super(
                "client '%s' is refused by %s, retry after %s"
                        .formatted(client, names(decision), decision.retryAfter()),
                null,
                true,
                false);
        this.client = client;
        this.decision = decision;
    }

    /** Returns the name below {@code rate-limiter.clients}. */
    public String client() {
        return client;
    }

    /** Returns the decision, for example for {@link Decision#retryAfter}; null after deserialization. */
    public Decision decision() {
        return decision;
    }

    private static String names(Decision decision) {
        return decision.refusing().stream()
                .map(OutboundLimitExceededException::name)
                .collect(Collectors.joining(" and "));
    }

    private static String name(LimitStatus status) {
        return "%slimit '%s'"
                .formatted(status.blocked() ? "blocked " : "", status.limit().name());
    }
}
