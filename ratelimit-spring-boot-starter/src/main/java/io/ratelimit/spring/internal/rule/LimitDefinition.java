package io.ratelimit.spring.internal.rule;

import io.ratelimit.Algorithm;
import io.ratelimit.CalendarPeriod;
import io.ratelimit.Limit;
import io.ratelimit.internal.Micros;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A limit as configuration or an annotation writes it.
 *
 * @param where the property or annotated method, for messages
 */
public record LimitDefinition(
        String where,
        String name,
        @Nullable String useAlgo,
        @Nullable Long maxRequests,
        @Nullable Duration windowSize,
        @Nullable Long burst,
        @Nullable Long lease,
        @Nullable Integer shards,
        @Nullable Boolean approximate,
        @Nullable Integer buckets,
        @Nullable CalendarPeriod period) {

    private static final Pattern WHOLE_NUMBER = Pattern.compile("[+-]?\\d{1,18}");

    private static final Duration DEFAULT_WINDOW = Duration.ofSeconds(60);

    /** A limit that counts in windows, which are not divided, and exactly. */
    public LimitDefinition(
            String where,
            String name,
            @Nullable String useAlgo,
            @Nullable Long maxRequests,
            @Nullable Duration windowSize,
            @Nullable Long burst,
            @Nullable Long lease,
            @Nullable Integer shards) {
        this(where, name, useAlgo, maxRequests, windowSize, burst, lease, shards, null, null, null);
    }

    /** True if the text is a whole number, with or without a sign. */
    public static boolean isWholeNumber(String text) {
        return WHOLE_NUMBER.matcher(text).matches();
    }

    /** True if anything of a limit is written. */
    public boolean isPresent() {
        return Stream.of(useAlgo, maxRequests, windowSize, burst, lease, shards, approximate, buckets)
                .anyMatch(Objects::nonNull);
    }

    /**
     * Returns the limit.
     *
     * @throws InvalidRateLimitException if it cannot work
     */
    public Limit limit() {
        if (maxRequests == null) {
            throw new InvalidRateLimitException(
                    MessageCode.MAX_REQUESTS_MISSING,
                    where,
                    "limit '%s' has no max-requests: say how many requests a window admits".formatted(name));
        }
        try {
            Limit limit = period == null
                    ? Limit.of(name, algorithm(), maxRequests, windowSize == null ? DEFAULT_WINDOW : windowSize)
                    : ofPeriod(maxRequests, period);
            limit = burst == null ? limit : withBurst(limit, burst);
            limit = buckets == null ? limit : limit.withBuckets(buckets);
            limit = shards == null ? limit : limit.withShards(shards);
            return lease == null ? limit : limit.withLease(lease);
        } catch (InvalidRateLimitException invalid) {
            throw invalid;
        } catch (IllegalArgumentException invalid) {
            throw new InvalidRateLimitException(
                    MessageCode.LIMIT_NUMBERS_INVALID, where, invalid.getMessage(), invalid);
        }
    }

    /**
     * Returns the algorithm, whatever is written beside it.
     *
     * @throws InvalidRateLimitException if there is none of that name, or it is to be approximate and cannot be
     */
    public Algorithm algorithm() {
        Algorithm named = named();
        if (!Boolean.TRUE.equals(approximate)) {
            return named;
        }
        if (named != Algorithm.UNIQUE_COUNT) {
            throw new InvalidRateLimitException(
                    MessageCode.LIMIT_NUMBERS_INVALID,
                    where,
                    "limit '%s': approximate 'true' is not supported by %s: leave it out, or set use-algo: unique-count"
                            .formatted(name, named.label()));
        }
        return Algorithm.APPROXIMATE_UNIQUE_COUNT;
    }

    private Algorithm named() {
        try {
            return useAlgo == null ? Algorithm.SLIDING_WINDOW_LOG : Algorithm.named(useAlgo);
        } catch (IllegalArgumentException unknown) {
            throw new InvalidRateLimitException(MessageCode.ALGORITHM_INVALID, where, unknown.getMessage(), unknown);
        }
    }

    private Limit ofPeriod(long requests, CalendarPeriod ofCalendar) {
        if (windowSize != null) {
            throw new IllegalArgumentException(
                    "limit '%s' has a calendar '%s' and a window-size '%s': leave one of them out"
                            .formatted(name, ofCalendar, Micros.text(windowSize)));
        }
        if (useAlgo != null && algorithm() != Algorithm.FIXED_WINDOW) {
            throw new IllegalArgumentException(
                    "limit '%s': a calendar '%s' is not supported by %s: leave use-algo out, or set it to fixed-window"
                            .formatted(name, ofCalendar, algorithm().label()));
        }
        return Limit.of(name, requests, ofCalendar);
    }

    private Limit withBurst(Limit limit, long burst) {
        if (!limit.algorithm().hasBurst()) {
            throw new InvalidRateLimitException(
                    MessageCode.BURST_NOT_SUPPORTED,
                    where,
                    "limit '%s': burst '%d' is not supported by %s: leave it out, or set use-algo: token-bucket"
                            .formatted(name, burst, limit.algorithm().label()));
        }
        return limit.withBurst(burst);
    }
}
