package io.ratelimit.spring.autoconfigure;

import io.ratelimit.CalendarPeriod;
import io.ratelimit.FailurePolicy;
import io.ratelimit.internal.Micros;
import io.ratelimit.spring.HeaderFamily;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.convert.DurationUnit;

/**
 * Configuration of the rate limiter.
 *
 * @param enabled Whether to limit anything at all.
 * @param useAlgo Algorithm of the limit named "default".
 * @param maxRequests Requests per window of the limit named "default", which exists if this is set.
 * @param windowSize Window of the limit named "default". A bare number is seconds.
 * @param burst Burst of the limit named "default", for a token bucket.
 * @param lease How many requests of the limit named "default" an instance takes from Redis at once, to serve them by itself
 *     for a second.
 * @param shards How many keys in Redis share the quota of the limit named "default".
 * @param ban Bans of subjects that the limit named "default" refuses again and again.
 * @param count Which calls count for the limit named "default": all, failures, or a list of statuses and names of exceptions.
 * @param plans Plans of the limit named "default", by their names.
 * @param plan Plan of a call unless a route or annotation says otherwise: an expression, or the name of a PlanResolver bean.
 * @param key Subject that limits count unless a route or annotation says otherwise.
 * @param store Where counts live. Redis is shared by all instances.
 * @param onStoreFailure What happens to a call while Redis does not answer.
 * @param timeout How long one decision may wait for Redis.
 * @param maxWaitingThreads How many threads of a servlet server may wait for quota at once. Half of them unless set.
 * @param order Order of the advice of annotated methods among other advice. Method security has up to 600. With 2147483647
 *     each attempt of a retried method is charged.
 * @param headers Families of response headers to write.
 * @param retryAfterSpread How much of the wait is added to Retry-After at most, at random, such as 10%.
 * @param reportOnly Whether to decide, count and log without refusing.
 * @param warnAt Percentage of a limit's capacity from which the meter rate.limiter.near.limit counts.
 * @param observations Whether to observe each decision, for traces.
 * @param keyPrefix First part of every key in Redis.
 * @param trustedProxies Networks in CIDR notation of the proxies whose headers name the client.
 * @param clientAddressHeader Header in which the trusted proxies name the client, such as X-Forwarded-For or
 *     CF-Connecting-IP.
 * @param allow Requests that are never limited: networks, principal:NAME and header:NAME:VALUE.
 * @param deny Requests that are answered with 403: networks, principal:NAME and header:NAME:VALUE.
 * @param ipv6PrefixLength How many leading bits of an IPv6 address are counted as one subject.
 * @param limits Named limits.
 * @param routes Named sets of paths and the limits that apply to them.
 * @param clients Named partners that the application calls, and the limits of these calls.
 */
@ConfigurationProperties(prefix = "rate-limiter", ignoreUnknownFields = false)
public record RateLimiterProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("sliding-window-log") String useAlgo,
        @Nullable Long maxRequests,

        @DefaultValue("60s") @DurationUnit(ChronoUnit.SECONDS)
        Duration windowSize,

        @Nullable Long burst,
        @Nullable Long lease,
        @Nullable Integer shards,
        @Nullable BanProperties ban,
        @DefaultValue("all") List<String> count,
        @DefaultValue Map<String, PlanProperties> plans,
        @Nullable String plan,
        @DefaultValue("caller") String key,
        @DefaultValue("auto") Store store,
        @DefaultValue("local") FailurePolicy onStoreFailure,
        @DefaultValue("100ms") Duration timeout,
        @Nullable Integer maxWaitingThreads,
        @DefaultValue("1000") int order,
        @DefaultValue({"ietf", "x-ratelimit"}) List<HeaderFamily> headers,
        @DefaultValue("0") String retryAfterSpread,
        @DefaultValue("false") boolean reportOnly,
        @DefaultValue("80") int warnAt,
        @DefaultValue("false") boolean observations,
        @DefaultValue("rate_limit") String keyPrefix,
        @DefaultValue List<String> trustedProxies,
        @Nullable String clientAddressHeader,
        @DefaultValue List<String> allow,
        @DefaultValue List<String> deny,
        @DefaultValue("64") int ipv6PrefixLength,
        @DefaultValue Map<String, LimitProperties> limits,
        @DefaultValue Map<String, RouteProperties> routes,
        @DefaultValue Map<String, ClientProperties> clients) {

    /** @throws InvalidRateLimitException if a setting cannot work, even if counts live in memory and do not need it */
    public RateLimiterProperties {
        check(
                timeout.compareTo(Duration.ofMillis(1)) >= 0 && timeout.compareTo(Duration.ofDays(1)) <= 0,
                "timeout",
                Micros.text(timeout),
                "must be at least 1ms and at most a day: say how long a decision may wait for Redis, such as 100ms");
        check(
                retryAfterSpread.matches("0|[0-9]{1,2}%|100%"),
                "retry-after-spread",
                retryAfterSpread,
                "must be from 0% to 100%: write how much of a wait may be added to it, such as 10%");
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
                maxWaitingThreads == null || maxWaitingThreads >= 0,
                "max-waiting-threads",
                String.valueOf(maxWaitingThreads),
                "must be at least 0: write how many threads of the server may wait for quota, such as 50, or 0 for none");
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

    /** Returns how much of a wait is added to it at most. */
    int spreadPercent() {
        return Integer.parseInt(retryAfterSpread.replace("%", ""));
    }

    /** Returns the limit named "default" as it is written. */
    LimitProperties defaultLimit() {
        return new LimitProperties(
                useAlgo,
                maxRequests,
                windowSize,
                burst,
                null,
                null,
                null,
                lease,
                shards,
                null,
                null,
                ban,
                count,
                plans,
                false);
    }

    /** Where counts live: in Redis, in this process, or in Redis if the application says where it is. */
    public enum Store {
        AUTO,
        REDIS,
        IN_MEMORY
    }

    /**
     * A named limit.
     *
     * @param useAlgo Algorithm.
     * @param maxRequests Requests per window.
     * @param windowSize Window. A bare number is seconds.
     * @param burst Capacity of a token bucket.
     * @param calendar Period of the calendar in place of a window: day, week, month, quarter or year.
     * @param zone Time zone of the calendar.
     * @param startsOn First day of the calendar's period: of the week from 1 for Monday, or else of the month.
     * @param lease How many requests an instance takes from Redis at once, to serve them by itself for a second.
     * @param shards How many keys in Redis share the quota.
     * @param approximate Whether unique-count estimates how many elements there are, in 12 KB whatever their number.
     * @param buckets How many parts of its window sliding-window-counter counts apart.
     * @param ban Bans of subjects that the limit refuses again and again, or that fail so.
     * @param count Which calls of routes and annotated methods count: all, failures, or a list of statuses and names of
     *     exceptions.
     * @param plans Plans, by their names.
     * @param reportOnly Whether to decide and count without refusing.
     */
    public record LimitProperties(
            @Nullable String useAlgo,
            @Nullable Long maxRequests,
            @Nullable @DurationUnit(ChronoUnit.SECONDS) Duration windowSize,
            @Nullable Long burst,
            CalendarPeriod.@Nullable Unit calendar,
            @Nullable String zone,
            @Nullable Integer startsOn,
            @Nullable Long lease,
            @Nullable Integer shards,
            @Nullable Boolean approximate,
            @Nullable Integer buckets,
            @Nullable BanProperties ban,
            @DefaultValue("all") List<String> count,
            @DefaultValue Map<String, PlanProperties> plans,
            @DefaultValue("false") boolean reportOnly) {}

    /**
     * Other numbers of a limit, for calls of a plan.
     *
     * @param maxRequests Requests per window.
     * @param burst Capacity of a token bucket.
     * @param unlimited Whether calls of the plan are not limited.
     */
    public record PlanProperties(
            @Nullable Long maxRequests,
            @Nullable Long burst,
            @DefaultValue("false") boolean unlimited) {}

    /**
     * Bans of subjects that a limit refuses again and again, or that fail again and again where only failures count.
     *
     * @param after Refusals or failures that begin a ban.
     * @param within Time in which they must come. A bare number is seconds.
     * @param lengths Lengths of the first ban, the next, and so on, each with its unit.
     */
    public record BanProperties(
            @Nullable Integer after,
            @Nullable @DurationUnit(ChronoUnit.SECONDS) Duration within,

            @Name("for") @DefaultValue @DurationUnit(ChronoUnit.SECONDS)
            List<Duration> lengths) {}

    /**
     * Paths and what limits them.
     *
     * @param paths Path patterns, such as /api/**.
     * @param exclude Path patterns of requests that the route does not apply to, although its paths match.
     * @param methods HTTP methods, all unless said.
     * @param limits Names of limits.
     * @param levels Levels in place of limits and key, such as those of an organisation, a team and a user.
     * @param plan Plan of a request: an expression, or the name of a PlanResolver bean.
     * @param key Subject to count.
     * @param element What limits of unique-count count, written as a key is.
     * @param cost How many requests one request counts as: a number, header:NAME of the request, or an expression
     *     over it.
     * @param actualCost What a request really cost, known when its response ends: header:NAME of the response, or an
     *     expression over the request and its attributes.
     * @param count Which requests count: all, failures, or a list of statuses and names of exceptions; as each limit says
     *     unless set.
     * @param condition Expression over the request; where it is false, the request is neither limited nor counted.
     * @param allow Requests that the route does not limit: networks, principal:NAME and header:NAME:VALUE.
     * @param deny Requests that are answered with 403: networks, principal:NAME and header:NAME:VALUE.
     * @param onStoreFailure What happens to a request while Redis does not answer.
     * @param reportOnly Whether its limits decide and count without refusing.
     * @param useAlgo Algorithm of a limit of the route's own.
     * @param maxRequests Requests per window of a limit of the route's own.
     * @param windowSize Window of a limit of the route's own. A bare number is seconds.
     * @param burst Burst of a limit of the route's own.
     * @param lease Lease of a limit of the route's own.
     * @param shards Shards of a limit of the route's own.
     * @param approximate Whether a limit of unique-count of the route's own estimates how many elements there are.
     * @param buckets How many parts of its window a limit of sliding-window-counter of the route's own counts apart.
     * @param ban Bans by a limit of the route's own.
     * @param plans Plans of a limit of the route's own, by their names.
     */
    public record RouteProperties(
            @DefaultValue List<String> paths,
            @DefaultValue List<String> exclude,
            @DefaultValue List<String> methods,
            @DefaultValue List<String> limits,
            @DefaultValue List<LevelProperties> levels,
            @Nullable String plan,
            @Nullable String key,
            @Nullable String element,
            @DefaultValue("1") String cost,
            @Nullable String actualCost,
            @Nullable List<String> count,
            @Nullable String condition,
            @DefaultValue List<String> allow,
            @DefaultValue List<String> deny,
            @Nullable FailurePolicy onStoreFailure,
            @DefaultValue("false") boolean reportOnly,
            @Nullable String useAlgo,
            @Nullable Long maxRequests,
            @Nullable @DurationUnit(ChronoUnit.SECONDS) Duration windowSize,
            @Nullable Long burst,
            @Nullable Long lease,
            @Nullable Integer shards,
            @Nullable Boolean approximate,
            @Nullable Integer buckets,
            @Nullable BanProperties ban,
            @DefaultValue Map<String, PlanProperties> plans) {}

    /**
     * A partner that the application calls, and what limits these calls.
     *
     * @param hosts Hosts of the partner, such as api.example.com, *.example.com or localhost:8080.
     * @param limits Names of limits, all of which a request must pass.
     * @param key Whose quota a request takes: global, or an expression.
     * @param obey What is believed of the partner's answers: retry-after, ratelimit, x-ratelimit and x-ratelimit-SUFFIX.
     * @param maxWait How long a request may wait for quota. A bare number is seconds.
     * @param maxBlock For how long one answer stops all requests at most. A bare number is seconds.
     */
    public record ClientProperties(
            @DefaultValue List<String> hosts,
            @DefaultValue List<String> limits,
            @DefaultValue("global") String key,
            @DefaultValue({"retry-after", "ratelimit"}) List<String> obey,

            @DefaultValue("0s") @DurationUnit(ChronoUnit.SECONDS)
            Duration maxWait,

            @DefaultValue("1h") @DurationUnit(ChronoUnit.SECONDS)
            Duration maxBlock) {}

    /**
     * Limits of a route for one kind of subject.
     *
     * @param limits Names of limits.
     * @param key Subject to count; a request without one skips the level.
     * @param plan Plan of a request: an expression, or the name of a PlanResolver bean.
     * @param element What limits of unique-count count, written as a key is.
     */
    public record LevelProperties(
            @DefaultValue List<String> limits,
            @Nullable String key,
            @Nullable String plan,
            @Nullable String element) {}
}
