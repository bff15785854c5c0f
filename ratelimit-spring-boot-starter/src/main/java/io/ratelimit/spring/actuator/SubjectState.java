package io.ratelimit.spring.actuator;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.StoreUnavailableException;
import java.util.Locale;

/**
 * What one limit would answer a call by a subject: one of cost 1, or the one that is explained. Immutable and thread-safe.
 *
 * @param remaining requests that the limit admits now
 * @param retryAfter time until it admits the next request, {@code PT0S} if it does now
 * @param resetAfter time until the whole quota is free
 * @param source who answered: {@code store}, or {@code local} while the store fails
 */
public record SubjectState(
        String limit, long capacity, long remaining, String retryAfter, String resetAfter, String source) {

    /**
     * Reads the answer to a peek at one limit.
     *
     * @throws StoreUnavailableException if it holds none
     */
    static SubjectState of(Decision peeked) {
        if (peeked.limits().isEmpty()) {
            throw new StoreUnavailableException("no store answered");
        }
        return of(peeked.limits().get(0), peeked.source());
    }

    static SubjectState of(LimitStatus status, Decision.Source source) {
        return new SubjectState(
                status.limit().name(),
                status.limit().capacity(),
                status.remaining(),
                status.retryAfter().toString(),
                status.resetAfter().toString(),
                source.name().toLowerCase(Locale.ROOT));
    }
}
