package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Limit;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.rule.LimitText;
import java.util.ArrayList;
import java.util.List;

/** The limits that {@code rate-limiter.*} defines by name. */
final class ConfiguredLimits {

    private ConfiguredLimits() {}

    static Limits of(RateLimiterProperties properties) {
        List<Limit> limits = new ArrayList<>();
        if (properties.maxRequests() != null) {
            limits.add(new LimitText(
                            "rate-limiter",
                            "default",
                            properties.useAlgo(),
                            properties.maxRequests(),
                            properties.windowSize(),
                            properties.burst(),
                            properties.lease(),
                            properties.shards())
                    .limit());
        }
        properties
                .limits()
                .forEach((name, limit) -> limits.add(new LimitText(
                                "rate-limiter.limits." + name,
                                name,
                                limit.useAlgo(),
                                limit.maxRequests(),
                                limit.windowSize(),
                                limit.burst(),
                                limit.lease(),
                                limit.shards())
                        .limit()));
        return new Limits(limits);
    }
}
