package io.ratelimit.spring.internal.operate;

import io.ratelimit.Limit;
import io.ratelimit.spring.internal.live.LimitOverride;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.internal.operate.ExplainedRequest.BadRequestException;
import io.ratelimit.spring.internal.rule.LimitDefinition;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** The endpoint's operations on overrides. Bad input is answered with a message that begins with the name of the field. */
final class OverrideOperations {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(366);
    private static final Set<String> FIELDS = Set.of("maxRequests", "burst", "for");

    private final Overrides overrides;
    private final LimitsInForce limits;

    OverrideOperations(Overrides overrides, LimitsInForce limits) {
        this.overrides = overrides;
        this.limits = limits;
    }

    /**
     * What an operation did.
     *
     * @param until by the store's clock; null if the override is lifted
     * @param appliesTo which instances
     */
    record Overridden(
            String limit,
            @Nullable Long maxRequests,
            @Nullable Long burst,
            @Nullable String until,
            String appliesTo) {}

    /** Returns the name of the limit that a path names, if it does. */
    Optional<String> limitIn(String... path) {
        return path.length > 1 && path[0].equals("limits")
                ? Optional.of(String.join("/", Arrays.asList(path).subList(1, path.length)))
                : Optional.empty();
    }

    /**
     * Begins an override.
     *
     * @throws NoSuchElementException if there is no such limit
     * @throws BadRequestException if the body cannot be used
     */
    Overridden begin(String limit, Map<String, Object> body) {
        List<Limit> known = known(limit);
        body.keySet().stream()
                .filter(field -> !FIELDS.contains(field))
                .findFirst()
                .ifPresent(field -> {
                    throw new BadRequestException("%s is unknown: use maxRequests, burst and for".formatted(field));
                });
        Long maxRequests = number("maxRequests", body);
        if (maxRequests == null) {
            throw new BadRequestException(
                    "maxRequests is missing: say how many requests a window admits, such as \"maxRequests\": 50");
        }
        Long burst = number("burst", body);
        known.forEach(own -> check(own, maxRequests, burst));
        overrides.begin(limit, maxRequests, burst, lasting(body.get("for")));
        return new Overridden(
                limit,
                maxRequests,
                burst,
                overrides
                        .of(limit)
                        .map(LimitOverride::until)
                        .map(Instant::toString)
                        .orElse(null),
                appliesTo());
    }

    /**
     * Lifts an override.
     *
     * @throws NoSuchElementException if there is no such limit, or it has no override
     */
    Overridden lift(String limit) {
        if (overrides.of(limit).isEmpty() && overrides.readOf(limit).isEmpty()) {
            known(limit);
            throw new NoSuchElementException("limit '%s' is not overridden".formatted(limit));
        }
        overrides.lift(limit);
        return new Overridden(limit, null, null, null, appliesTo());
    }

    private String appliesTo() {
        return overrides.areShared()
                ? "all instances, within 2 seconds"
                : "this instance alone, because it counts in its own memory";
    }

    private List<Limit> known(String name) {
        if (!overrides.areApplied()) {
            throw new BadRequestException("the application's own RateLimiter bean decides, which follows no overrides");
        }
        List<Limit> known = limits.limits().stream()
                .filter(limit -> limit.name().equals(name))
                .toList();
        if (known.isEmpty()) {
            throw new NoSuchElementException("limit '%s' is unknown: use one of %s"
                    .formatted(
                            name,
                            limits.limits().stream().map(Limit::name).distinct().toList()));
        }
        return known;
    }

    private static @Nullable Long number(String field, Map<String, Object> body) {
        Object value = body.get(field);
        if (value != null && !LimitDefinition.isWholeNumber(value.toString())) {
            throw new BadRequestException("%s '%s' is not a whole number of at most 18 digits".formatted(field, value));
        }
        return value == null ? null : Long.valueOf(value.toString());
    }

    private static void check(Limit own, long maxRequests, @Nullable Long burst) {
        if (burst != null && !own.algorithm().hasBurst()) {
            throw new BadRequestException("burst '%d' is not supported by %s: leave it out"
                    .formatted(burst, own.algorithm().label()));
        }
        String invalid = invalid(own, maxRequests, burst);
        if (invalid != null) {
            boolean ofBurst = burst != null && invalid(own, maxRequests, maxRequests) == null;
            throw new BadRequestException("%s: %s".formatted(ofBurst ? "burst" : "maxRequests", invalid));
        }
    }

    /** Returns why the limit cannot have these numbers; null if it can. */
    private static @Nullable String invalid(Limit own, long maxRequests, @Nullable Long burst) {
        try {
            new LimitOverride(own.name(), maxRequests, burst, Instant.EPOCH).checked(own);
            return null;
        } catch (IllegalArgumentException invalid) {
            return String.valueOf(invalid.getMessage());
        }
    }

    private static Duration lasting(@Nullable Object text) {
        if (text == null) {
            throw new BadRequestException("for is missing: say how long the override lasts, such as \"for\": \"30m\"");
        }
        return duration(text.toString())
                .filter(lasting -> lasting.compareTo(SHORTEST) >= 0 && lasting.compareTo(LONGEST) <= 0)
                .orElseThrow(() -> new BadRequestException(
                        "for '%s' is not a duration from 1ms to 366d: use 30m, 24h or a number of seconds"
                                .formatted(text)));
    }

    private static Optional<Duration> duration(String text) {
        try {
            return Optional.of(DurationStyle.detectAndParse(text, ChronoUnit.SECONDS));
        } catch (IllegalArgumentException | ArithmeticException unreadable) {
            return Optional.empty();
        }
    }
}
