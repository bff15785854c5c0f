package io.ratelimit.spring.internal.operate;

import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.StoreUnavailableException;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The answer of one limit to a call by a subject: one of cost 1, or the one that is explained. Immutable and thread-safe.
 *
 * @param remaining requests that the limit admits now
 * @param retryAfter time until it admits the next request, {@code PT0S} if it does now
 * @param resetAfter time until the whole quota is free
 * @param bannedUntil when the ban of the subject ends, by the store's clock; null if it is not banned
 * @param source who answered: {@code store}, or {@code local} while the store fails
 * @param plan whose numbers the limit has; null for its own
 * @param from where the numbers come from: {@code configuration}, {@code plan}, {@code provider} or
 *     {@code override}
 * @param reportOnly whether the limit refuses nothing
 */
record SubjectState(
        String limit,
        long capacity,
        long remaining,
        String retryAfter,
        String resetAfter,
        @Nullable String bannedUntil,
        String source,
        @Nullable String plan,
        String from,
        boolean reportOnly) {

    /**
     * Reads the answer to a peek at one limit.
     *
     * @throws StoreUnavailableException if no store answered it
     */
    static SubjectState of(Decision peeked, Function<Limit, String> from) {
        return all(peeked, from).stream()
                .findFirst()
                .orElseThrow(() -> new StoreUnavailableException("no store answered"));
    }

    /** Reads the answers of all limits, of those that only report last. */
    static List<SubjectState> all(Decision peeked, Function<Limit, String> from) {
        return Stream.concat(Stream.of(peeked), peeked.reported().stream())
                .flatMap(decision -> decision.limits().stream().map(status -> of(decision, status, from)))
                .toList();
    }

    private static SubjectState of(Decision peeked, LimitStatus status, Function<Limit, String> from) {
        return new SubjectState(
                status.limit().name(),
                status.limit().capacity(),
                status.remaining(),
                status.retryAfter().toString(),
                status.resetAfter().toString(),
                status.banned() ? peeked.decidedAt().plus(status.bannedFor()).toString() : null,
                peeked.source().name().toLowerCase(Locale.ROOT),
                status.limit().plan().orElse(null),
                from.apply(status.limit()),
                status.limit().reportOnly());
    }
}
