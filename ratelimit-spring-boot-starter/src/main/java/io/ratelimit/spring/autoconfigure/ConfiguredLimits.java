package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.BanProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LimitProperties;
import io.ratelimit.spring.internal.rule.Counted;
import io.ratelimit.spring.internal.rule.LimitDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The limits that {@code rate-limiter.*} defines by name. */
final class ConfiguredLimits {

    private ConfiguredLimits() {}

    /** Which calls count for a limit, by its name. */
    static Map<String, Counted> counted(RateLimiterProperties properties, Limits limits) {
        Map<String, Counted> counted = new HashMap<>();
        if (properties.maxRequests() != null) {
            counted.put("default", counted(properties.count(), limits.get("default"), "rate-limiter.count"));
        }
        properties
                .limits()
                .forEach((name, limit) -> counted.put(
                        name, counted(limit.count(), limits.get(name), "rate-limiter.limits." + name + ".count")));
        return counted;
    }

    private static Counted counted(List<String> texts, Limit limit, String where) {
        Counted counted = Counted.parse(texts, where);
        counted.checkFits(limit, where);
        return counted;
    }

    static Limits of(RateLimiterProperties properties) {
        List<Limit> limits = new ArrayList<>();
        LimitDefinition defaultLimit = new LimitDefinition(
                "rate-limiter",
                "default",
                properties.useAlgo(),
                properties.maxRequests(),
                properties.windowSize(),
                properties.burst(),
                properties.lease(),
                properties.shards());
        if (properties.maxRequests() != null) {
            if (properties.limits().containsKey("default")) {
                throw new InvalidRateLimitException(
                        MessageCode.LIMIT_NAME_TAKEN,
                        "rate-limiter.limits.default",
                        "limit 'default' is what rate-limiter.max-requests '%d' defines already: leave one of them out"
                                .formatted(properties.maxRequests()));
            }
            Limit limit = withBan(defaultLimit.limit(), properties.ban(), "rate-limiter.ban");
            limits.add(Counted.parse(properties.count(), "rate-limiter.count").banned(limit));
        } else {
            checkNoBan(properties.ban(), "rate-limiter.ban");
            checkNoCount(properties.count());
            defaultLimit
                    .algorithm(); // an unknown algorithm is an error, even if nothing else of the limit is configured
        }
        properties.limits().forEach((name, limit) -> limits.add(limit(name, limit, "rate-limiter.limits." + name)));
        return new Limits(limits);
    }

    private static Limit limit(String name, LimitProperties properties, String where) {
        Limit limit = withBan(
                new LimitDefinition(
                                where,
                                name,
                                properties.useAlgo(),
                                properties.maxRequests(),
                                properties.windowSize(),
                                properties.burst(),
                                properties.lease(),
                                properties.shards())
                        .limit(),
                properties.ban(),
                where + ".ban");
        return Counted.parse(properties.count(), where + ".count").banned(limit);
    }

    /**
     * The limit with that ban, if there is one.
     *
     * @throws InvalidRateLimitException if it cannot work
     */
    static Limit withBan(Limit limit, @Nullable BanProperties ban, String where) {
        if (ban == null) {
            return limit;
        }
        if (ban.after() == null || ban.within() == null || ban.lengths().isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.BAN_INVALID,
                    where,
                    "limit '%s' has a ban without '%s': write all three, such as { after: 5, within: 10m, for: [1m, 10m, 1h] }"
                            .formatted(
                                    limit.name(),
                                    ban.after() == null ? "after" : ban.within() == null ? "within" : "for"));
        }
        try {
            return limit.withBan(ban.after(), ban.within(), ban.lengths().toArray(Duration[]::new));
        } catch (IllegalArgumentException invalid) {
            throw new InvalidRateLimitException(MessageCode.BAN_INVALID, where, invalid.getMessage(), invalid);
        }
    }

    private static void checkNoCount(List<String> count) {
        if (!Counted.parse(count, "rate-limiter.count").isAll()) {
            throw new InvalidRateLimitException(
                    MessageCode.SETTING_INVALID,
                    "rate-limiter.count",
                    "'%s' needs a limit: set max-requests beside it, or write it for a named limit at rate-limiter.limits.NAME.count"
                            .formatted(String.join(", ", count)));
        }
    }

    /** Rejects a ban beside which no limit is defined. */
    static void checkNoBan(@Nullable BanProperties ban, String where) {
        if (ban != null) {
            throw new InvalidRateLimitException(
                    MessageCode.BAN_INVALID,
                    where,
                    "a ban needs a limit: set max-requests beside it, or write the ban of a named limit at rate-limiter.limits.NAME.ban");
        }
    }
}
