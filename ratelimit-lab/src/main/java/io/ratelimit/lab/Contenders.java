package io.ratelimit.lab;

import static io.ratelimit.Algorithm.FIXED_WINDOW;
import static io.ratelimit.Algorithm.SLIDING_WINDOW_COUNTER;
import static io.ratelimit.Algorithm.SLIDING_WINDOW_LOG;
import static io.ratelimit.Algorithm.TOKEN_BUCKET;

import io.ratelimit.Algorithm;
import io.ratelimit.lab.known.AdmitsAll;
import io.ratelimit.lab.known.Exact;
import io.ratelimit.lab.known.TwiceAtBoundary;
import io.ratelimit.lab.peer.Bucket4jLimiter;
import io.ratelimit.lab.peer.GatewayLimiter;
import io.ratelimit.lab.peer.OwnLimiter;
import io.ratelimit.lab.peer.RedissonLimiter;
import io.ratelimit.lab.peer.Resilience4jLimiter;
import io.ratelimit.lab.peer.TutorialLimiter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All contenders, in the order of the report. */
final class Contenders {

    private static final String IN_PROCESS = "counts in process";
    private static final String NOT_SETTLED = "what a call was charged cannot be corrected";

    private Contenders() {}

    /** Limiters of known behaviour: what the lab says of them is what it is worth. */
    static List<Contender> known() {
        return List.of(
                new Contender(
                        "known: admits everything",
                        AdmitsAll.class,
                        "",
                        SLIDING_WINDOW_LOG,
                        "in process; must be found to admit all",
                        Map.of(Need.REDIS, IN_PROCESS)),
                new Contender(
                        "known: exact",
                        Exact.class,
                        "",
                        SLIDING_WINDOW_LOG,
                        "in process, on the same clock; must be found right",
                        Map.of(Need.REDIS, IN_PROCESS, Need.SETTLING, NOT_SETTLED)),
                new Contender(
                        "known: twice at a boundary",
                        TwiceAtBoundary.class,
                        "",
                        SLIDING_WINDOW_LOG,
                        "in process; counts windows of the clock and promises any window",
                        Map.of(Need.REDIS, IN_PROCESS, Need.SETTLING, NOT_SETTLED)));
    }

    static List<Contender> own() {
        return List.of(
                own("fixed window", FIXED_WINDOW, ""),
                own("log", SLIDING_WINDOW_LOG, ""),
                own("counter", SLIDING_WINDOW_COUNTER, ""),
                own("token bucket", TOKEN_BUCKET, ""),
                own("token bucket, lease 10", TOKEN_BUCKET, " lease=10"),
                own("token bucket, lease 100", TOKEN_BUCKET, " lease=100"),
                own("token bucket, 8 shards", TOKEN_BUCKET, " shards=8"));
    }

    private static Contender own(String name, Algorithm algorithm, String more) {
        return new Contender(
                "this library: " + name,
                OwnLimiter.class,
                algorithm.label() + more,
                algorithm,
                "as the starter builds it, with a timeout of 1 s instead of 100 ms",
                more.contains("shards")
                        ? Map.of(Need.COSTS, "a call costs at most what the smallest shard holds")
                        : Map.of());
    }

    static List<Contender> peers() {
        return List.of(
                new Contender(
                        "Bucket4j on Redis",
                        Bucket4jLimiter.class,
                        "",
                        TOKEN_BUCKET,
                        "Lettuce, compare-and-swap, `refillGreedy`, expiration based on the time to refill; corrected by `addTokens` and `consumeIgnoringRateLimits`",
                        Map.of()),
                new Contender(
                        "Redisson RRateLimiter",
                        RedissonLimiter.class,
                        "",
                        SLIDING_WINDOW_LOG,
                        "`RateType.OVERALL`, `tryAcquire(permits)`; its API gives no wait",
                        Map.of(Need.SETTLING, NOT_SETTLED)),
                new Contender(
                        "Spring Cloud Gateway's script",
                        GatewayLimiter.class,
                        "",
                        TOKEN_BUCKET,
                        "`replenishRate` and `burstCapacity` at the limit; admits when Redis fails (\"We don't want a hard dependency on Redis to allow traffic\", its source says); gives no wait",
                        Map.of(Need.COSTS, "`requestedTokens` is one number for a route")),
                new Contender(
                        "Resilience4j",
                        Resilience4jLimiter.class,
                        "",
                        FIXED_WINDOW,
                        "`limitForPeriod` at the limit, `timeoutDuration` 0; in one process; gives no wait without a reservation",
                        Map.of(
                                Need.INSTANCES,
                                "counts in one process",
                                Need.REDIS,
                                "counts in one process",
                                Need.SETTLING,
                                NOT_SETTLED,
                                Need.SUBJECTS,
                                "has no subjects; a limiter for each would begin its windows with the first call")),
                new Contender(
                        "sorted set as in tutorials",
                        TutorialLimiter.class,
                        "",
                        SLIDING_WINDOW_LOG,
                        "`ZREMRANGEBYSCORE`, `ZADD`, `ZCARD` in one step; application's clock; refused calls are counted",
                        Map.of(Need.COSTS, "a member for a call")));
    }

    static List<Contender> all() {
        return Stream.of(known(), own(), peers()).flatMap(List::stream).toList();
    }
}
