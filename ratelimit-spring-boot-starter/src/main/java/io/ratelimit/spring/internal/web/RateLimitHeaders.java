package io.ratelimit.spring.internal.web;

import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.spring.HeaderFamily;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;

/**
 * Writes how the limits of a response stand. The one writer of these headers: filter, annotation and refusal all use
 * it. Immutable and thread-safe.
 */
public final class RateLimitHeaders {

    /** All that is written, and {@code Retry-After}: scripts of other origins have to be allowed to read them. */
    public static final List<String> EXPOSED = List.of(
            "RateLimit",
            "RateLimit-Policy",
            "X-RateLimit-Limit",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset",
            "Retry-After");

    /** A refusing limit before others, the one that waits longest first; then the one with the least remaining. */
    private static final Comparator<LimitStatus> MOST_RESTRICTIVE_FIRST = Comparator.comparing(
                    LimitStatus::retryAfter, Comparator.reverseOrder())
            .thenComparing(LimitStatus::remaining)
            .thenComparing(LimitStatus::resetAfter, Comparator.reverseOrder());

    private final Set<HeaderFamily> families;
    private final int spreadPercent;
    private final DoubleSupplier random;

    /** Writes waits as they are. */
    public RateLimitHeaders(Collection<HeaderFamily> families) {
        this(families, 0, () -> 0);
    }

    /**
     * Writes longer waits than the true ones, so that clients that are refused together do not return together.
     *
     * @param spreadPercent how much of a wait is added at most
     * @param random from 0 to below 1; asked once for each response
     */
    public RateLimitHeaders(Collection<HeaderFamily> families, int spreadPercent, DoubleSupplier random) {
        this.families = Set.copyOf(families);
        this.spreadPercent = spreadPercent;
        this.random = random;
    }

    /** Draws what one response adds to each wait, in whole seconds; a longer wait stays the longer one. */
    LongUnaryOperator drawSpread() {
        double drawn = random.getAsDouble();
        return seconds -> {
            long most = seconds * spreadPercent / 100;
            return seconds + Math.min(most, (long) (drawn * (most + 1)));
        };
    }

    /**
     * Sets the headers of all limits that decided on this response so far, replacing those of an earlier call.
     *
     * @param statuses in the order of the decisions; of two with one name the more restrictive is written
     * @param spread what the response adds to the wait that a refusing limit tells
     * @param header sets a header of the response
     * @return the statuses that were written, one for each name, for a later call for this response
     */
    List<LimitStatus> write(List<LimitStatus> statuses, LongUnaryOperator spread, BiConsumer<String, String> header) {
        if (statuses.isEmpty()) {
            return statuses;
        }
        List<LimitStatus> byName = onePerName(statuses);
        if (families.contains(HeaderFamily.IETF)) {
            header.accept("RateLimit-Policy", joined(byName, RateLimitHeaders::policy));
            header.accept("RateLimit", joined(byName, status -> state(status, spread)));
        }
        if (families.contains(HeaderFamily.X_RATELIMIT)) {
            LimitStatus tightest = Collections.min(byName, MOST_RESTRICTIVE_FIRST);
            header.accept("X-RateLimit-Limit", String.valueOf(tightest.limit().capacity()));
            header.accept("X-RateLimit-Remaining", String.valueOf(tightest.remaining()));
            header.accept("X-RateLimit-Reset", String.valueOf(secondsToWait(tightest, spread)));
        }
        return byName;
    }

    /** Rounds up to whole seconds, so that a client that waits that long is admitted. */
    static long ceilSeconds(Duration duration) {
        return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
    }

    private static List<LimitStatus> onePerName(List<LimitStatus> statuses) {
        if (statuses.size() == 1) {
            return statuses;
        }
        Map<String, LimitStatus> byName = new LinkedHashMap<>();
        for (LimitStatus status : statuses) {
            byName.merge(
                    status.limit().name(),
                    status,
                    (first, second) -> MOST_RESTRICTIVE_FIRST.compare(first, second) <= 0 ? first : second);
        }
        return List.copyOf(byName.values());
    }

    private static String joined(List<LimitStatus> statuses, Function<LimitStatus, String> item) {
        String first = item.apply(statuses.get(0));
        return statuses.size() == 1 ? first : statuses.stream().map(item).collect(Collectors.joining(","));
    }

    private static String policy(LimitStatus status) {
        Limit limit = status.limit();
        if (limit.algorithm().isReleased()) { // no window: the calls in flight count, whenever they began
            return "\"" + limit.name() + "\";q=" + limit.capacity() + ";qu=\"concurrent-requests\"";
        }
        long refillMicros = limit.quota().refillMicros();
        boolean isWhole =
                refillMicros % 1_000_000 == 0 && limit.quota().window().period().isEmpty();
        String window = isWhole ? ";w=" + refillMicros / 1_000_000 : "";
        return "\"" + limit.name() + "\";q=" + limit.capacity() + window;
    }

    private static String state(LimitStatus status, LongUnaryOperator spread) {
        return "\"" + status.limit().name() + "\";r=" + status.remaining() + ";t=" + secondsToWait(status, spread);
    }

    private static long secondsToWait(LimitStatus status, LongUnaryOperator spread) {
        return status.refuses()
                ? spread.applyAsLong(ceilSeconds(status.retryAfter()))
                : ceilSeconds(status.resetAfter());
    }
}
