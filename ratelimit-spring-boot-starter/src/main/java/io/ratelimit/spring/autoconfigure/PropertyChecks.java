package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.time.Duration;

/** Rejects settings that cannot work, even if counts live in memory and do not need them. */
final class PropertyChecks {

    private PropertyChecks() {}

    static void check(Duration timeout, int warnAt, int ipv6PrefixLength, String keyPrefix) {
        check(
                timeout.toMillis() >= 1,
                "timeout",
                timeout.toMillis() + "ms",
                "must be at least 1ms: say how long a decision may wait for Redis, such as 100ms");
        check(
                warnAt >= 1 && warnAt <= 100,
                "warn-at",
                warnAt,
                "must be from 1 to 100: write the percentage of a limit's capacity, such as 80");
        check(
                ipv6PrefixLength >= 1 && ipv6PrefixLength <= 128,
                "ipv6-prefix-length",
                ipv6PrefixLength,
                "must be from 1 to 128: write how many bits of an address are one subscriber's, such as 64 or 56");
        check(
                !keyPrefix.isBlank() && !keyPrefix.contains("{") && !keyPrefix.contains("}"),
                "key-prefix",
                keyPrefix,
                "must not be blank or contain a brace: choose a name such as rate_limit");
    }

    private static void check(boolean valid, String setting, Object value, String demand) {
        if (!valid) {
            throw new InvalidRateLimitException(
                    MessageCode.SETTING_INVALID, "rate-limiter." + setting, "'%s' %s".formatted(value, demand));
        }
    }
}
