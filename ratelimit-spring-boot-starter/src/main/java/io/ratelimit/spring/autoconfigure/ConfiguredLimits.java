package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Limit;
import io.ratelimit.MessageCode;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.BanProperties;
import io.ratelimit.spring.rule.LimitDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The limits that {@code rate-limiter.*} defines by name. */
final class ConfiguredLimits {

    private ConfiguredLimits() {}

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
            limits.add(defaultLimit.limit());
        } else {
            defaultLimit
                    .algorithm(); // an unknown algorithm is an error, even if nothing else of the limit is configured
        }
        properties
                .limits()
                .forEach((name, limit) -> limits.add(withBan(
                        new LimitDefinition(
                                        "rate-limiter.limits." + name,
                                        name,
                                        limit.useAlgo(),
                                        limit.maxRequests(),
                                        limit.windowSize(),
                                        limit.burst(),
                                        limit.lease(),
                                        limit.shards())
                                .limit(),
                        limit.ban())));
        return new Limits(limits);
    }

    private static Limit withBan(Limit limit, @Nullable BanProperties ban) {
        if (ban == null) {
            return limit;
        }
        String where = "rate-limiter.limits." + limit.name() + ".ban";
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
}
