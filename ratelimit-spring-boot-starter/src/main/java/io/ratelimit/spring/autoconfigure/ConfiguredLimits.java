package io.ratelimit.spring.autoconfigure;

import io.ratelimit.CalendarPeriod;
import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.BanProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LimitProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.PlanProperties;
import io.ratelimit.spring.internal.rule.Counted;
import io.ratelimit.spring.internal.rule.LimitDefinition;
import io.ratelimit.spring.internal.rule.Plans;
import io.ratelimit.spring.internal.rule.Plans.Numbers;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The limits that {@code rate-limiter.*} defines by name. */
final class ConfiguredLimits {

    private ConfiguredLimits() {}

    /** Returns which calls count for a limit, by its name. */
    static Map<String, Counted> counted(RateLimiterProperties properties, Limits limits) {
        Map<String, Counted> counted = new HashMap<>();
        written(properties).forEach((name, limit) -> {
            String where = where(name, properties) + ".count";
            counted.put(name, Counted.parse(limit.count(), where));
            counted.get(name).checkFits(limits.get(name), where);
        });
        return counted;
    }

    /** Returns the plans of each limit that has some, by its name. */
    static Map<String, Plans> plans(RateLimiterProperties properties, Limits limits) {
        Map<String, Plans> plans = new HashMap<>();
        written(properties).forEach((name, limit) -> {
            if (!limit.plans().isEmpty()) {
                plans.put(name, plans(limit.plans(), limits.get(name), where(name, properties) + ".plans"));
            }
        });
        return plans;
    }

    /**
     * Returns the plans of a limit.
     *
     * @throws InvalidRateLimitException if one cannot work
     */
    static Plans plans(Map<String, PlanProperties> written, Limit limit, String where) {
        Map<String, Numbers> plans = new HashMap<>();
        written.forEach(
                (name, plan) -> plans.put(name, new Numbers(plan.maxRequests(), plan.burst(), plan.unlimited())));
        Plans checked = new Plans(plans);
        checked.check(limit, where);
        return checked;
    }

    /**
     * Returns the limits that are written.
     *
     * @throws InvalidRateLimitException if one cannot work
     */
    static Limits of(RateLimiterProperties properties) {
        if (properties.maxRequests() == null) {
            checkNoBan(properties.ban(), "rate-limiter.ban");
            checkNoCount(properties.count());
            checkNoPlans(properties.plans(), "rate-limiter.plans");
            definition("default", properties.defaultLimit(), "rate-limiter").algorithm(); // may be unknown all the same
        } else if (properties.limits().containsKey("default")) {
            throw new InvalidRateLimitException(
                    MessageCode.LIMIT_NAME_TAKEN,
                    "rate-limiter.limits.default",
                    "limit 'default' is what rate-limiter.max-requests '%d' defines already: leave one of them out"
                            .formatted(properties.maxRequests()));
        }
        List<Limit> limits = new ArrayList<>();
        written(properties).forEach((name, limit) -> limits.add(limit(name, limit, where(name, properties))));
        return new Limits(limits);
    }

    private static Map<String, LimitProperties> written(RateLimiterProperties properties) {
        Map<String, LimitProperties> written = new LinkedHashMap<>();
        if (properties.maxRequests() != null) {
            written.put("default", properties.defaultLimit());
        }
        written.putAll(properties.limits());
        return written;
    }

    private static String where(String name, RateLimiterProperties properties) {
        return name.equals("default") && properties.maxRequests() != null
                ? "rate-limiter"
                : "rate-limiter.limits." + name;
    }

    private static LimitDefinition definition(String name, LimitProperties written, String where) {
        return new LimitDefinition(
                where,
                name,
                written.useAlgo(),
                written.maxRequests(),
                written.windowSize(),
                written.burst(),
                written.lease(),
                written.shards(),
                written.approximate(),
                written.buckets(),
                period(name, written, where));
    }

    private static @Nullable CalendarPeriod period(String name, LimitProperties written, String where) {
        if (written.calendar() == null) {
            if (written.zone() != null || written.startsOn() != null) {
                String property = written.zone() != null ? "zone" : "starts-on";
                throw invalid(
                        where + "." + property,
                        "limit '%s' has %s '%s' without a calendar: add one, such as calendar: month, or leave it out"
                                .formatted(
                                        name, property, written.zone() != null ? written.zone() : written.startsOn()),
                        null);
            }
            return null;
        }
        try {
            CalendarPeriod period =
                    CalendarPeriod.of(written.calendar(), ZoneId.of(written.zone() == null ? "UTC" : written.zone()));
            return written.startsOn() == null ? period : period.startingOn(written.startsOn());
        } catch (DateTimeException unknown) {
            throw invalid(
                    where + ".zone",
                    "limit '%s': zone '%s' is not a time zone: write one such as Europe/Paris or UTC"
                            .formatted(name, written.zone()),
                    unknown);
        } catch (IllegalArgumentException noSuchDay) {
            throw invalid(where + ".starts-on", "limit '%s': %s".formatted(name, noSuchDay.getMessage()), noSuchDay);
        }
    }

    private static InvalidRateLimitException invalid(String where, String message, @Nullable Throwable cause) {
        return new InvalidRateLimitException(MessageCode.LIMIT_NUMBERS_INVALID, where, message, cause);
    }

    private static Limit limit(String name, LimitProperties written, String where) {
        Limit limit = withBan(definition(name, written, where).limit(), written.ban(), where + ".ban");
        plans(written.plans(), limit, where + ".plans");
        Limit banned = Counted.parse(written.count(), where + ".count").banned(limit);
        return written.reportOnly() ? banned.withReportOnly() : banned;
    }

    /**
     * Returns the limit with that ban, if there is one.
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

    /** Rejects plans beside which no limit is defined. */
    static void checkNoPlans(Map<String, PlanProperties> plans, String where) {
        if (!plans.isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.PLAN_INVALID,
                    where,
                    "the plans %s need a limit: set max-requests beside them, or write those of a named limit at rate-limiter.limits.NAME.plans"
                            .formatted(plans.keySet()));
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
