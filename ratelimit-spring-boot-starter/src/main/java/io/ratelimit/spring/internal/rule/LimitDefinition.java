package io.ratelimit.spring.internal.rule;

import io.ratelimit.Algorithm;
import io.ratelimit.CalendarPeriod;
import io.ratelimit.Limit;
import io.ratelimit.Window;
import io.ratelimit.internal.Micros;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Supplier;
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
                    at("max-requests"),
                    "limit '%s' has no max-requests: say how many requests a window admits".formatted(name));
        }
        Algorithm named = algorithm();
        Limit limit = checked("max-requests", () -> Limit.of(name, named, maxRequests, DEFAULT_WINDOW));
        if (period != null) {
            limit = checked("calendar", () -> ofPeriod(maxRequests, period));
        } else if (windowSize != null) {
            limit = checked("window-size", () -> Limit.of(name, named, maxRequests, windowSize));
        }
        limit = with(limit, "burst", burst, this::withBurst);
        limit = with(limit, "buckets", buckets, this::withBuckets);
        limit = with(limit, "shards", shards, Limit::withShards);
        return with(limit, "lease", lease, Limit::withLease);
    }

    private <T> Limit with(Limit limit, String property, @Nullable T value, BiFunction<Limit, T, Limit> change) {
        return value == null ? limit : checked(property, () -> change.apply(limit, value));
    }

    private Limit checked(String property, Supplier<Limit> limit) {
        try {
            return limit.get();
        } catch (InvalidRateLimitException invalid) {
            throw invalid;
        } catch (IllegalArgumentException invalid) {
            throw new InvalidRateLimitException(
                    MessageCode.LIMIT_NUMBERS_INVALID, at(property), invalid.getMessage(), invalid);
        }
    }

    /** An annotated method is a place as a whole. */
    private String at(String property) {
        return where.startsWith("rate-limiter") ? where + "." + property : where;
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
                    at("approximate"),
                    "limit '%s': approximate 'true' is not supported by %s: leave it out, or set use-algo: unique-count"
                            .formatted(name, named.label()));
        }
        return Algorithm.APPROXIMATE_UNIQUE_COUNT;
    }

    private Algorithm named() {
        try {
            return useAlgo == null ? Algorithm.SLIDING_WINDOW_LOG : Algorithm.named(useAlgo);
        } catch (IllegalArgumentException unknown) {
            throw new InvalidRateLimitException(
                    MessageCode.ALGORITHM_INVALID, at("use-algo"), unknown.getMessage(), unknown);
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

    private Limit withBuckets(Limit limit, int buckets) {
        if (buckets == 1) {
            throw new IllegalArgumentException("limit '%s': buckets '1' must be at least 2 and at most %d, or left out"
                    .formatted(name, Window.MOST_BUCKETS));
        }
        return limit.withBuckets(buckets);
    }

    private Limit withBurst(Limit limit, long burst) {
        if (!limit.algorithm().hasBurst()) {
            throw new InvalidRateLimitException(
                    MessageCode.BURST_NOT_SUPPORTED,
                    at("burst"),
                    "limit '%s': burst '%d' is not supported by %s: leave it out, or set use-algo: token-bucket"
                            .formatted(name, burst, limit.algorithm().label()));
        }
        return limit.withBurst(burst);
    }
}
