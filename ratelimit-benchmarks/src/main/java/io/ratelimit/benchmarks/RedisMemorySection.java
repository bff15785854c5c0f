package io.ratelimit.benchmarks;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Measures what a subject costs in Redis' memory. The rows of algorithms are those of {@code size-redis.md} and {@code choosing.md}. */
final class RedisMemorySection implements Section {

    private static final int LIMIT = 1_000;
    private static final Duration WINDOW = Duration.ofDays(1); // a bucket is forgotten when it is full again
    private static final KeyMemory MANY = new KeyMemory(20_000, 5);
    private static final KeyMemory ONE_REQUEST = new KeyMemory(20_000, 1);
    private static final KeyMemory TEN_REQUESTS = new KeyMemory(20_000, 10);
    private static final KeyMemory LONG_LOGS = new KeyMemory(50, 1_000);

    @Override
    public String id() {
        return "redis-memory";
    }

    @Override
    public String pace(Pace pace) {
        return "Once";
    }

    @Override
    public Findings run(Site site) {
        RedisSite redis = site.redis();
        Reading bucket = own(redis, limit(Algorithm.TOKEN_BUCKET), MANY);
        Reading counter = own(redis, limit(Algorithm.SLIDING_WINDOW_COUNTER), MANY);
        Reading fixed = own(redis, limit(Algorithm.FIXED_WINDOW), MANY);
        Reading gateway = of(redis, GatewayScript.open(redis, 1, LIMIT));
        Reading bucket4j = of(redis, Bucket4jRedis.byDefault(redis, LIMIT));
        Reading redisson = of(redis, RedissonLimiter.open(redis, LIMIT, WINDOW));
        List<Row> rows = new ArrayList<>(List.of(
                new Row("token-bucket", bucket, gateway, Target.atMost(1)),
                new Row("token-bucket", bucket, bucket4j, Target.atMost(1)),
                new Row("token-bucket", bucket, redisson, Target.none()),
                beside("fixed-window", fixed, bucket),
                beside("sliding-window-counter", counter, bucket),
                beside("sliding-window-counter, buckets: 10", parts(redis, 10), bucket),
                beside("sliding-window-counter, buckets: 60", parts(redis, 60), bucket)));
        rows.addAll(logRows(redis, bucket));
        String title = "Redis memory";
        return new Findings(
                id(),
                title,
                "`used_memory` of 20,000 subjects such as `principal:0000000042` with 5 requests each, divided by their number. A log entry is its share of a log of 1,000 requests of cost 1. Redis allocates by %s."
                        .formatted(redis.allocator()),
                rows,
                List.of(new BarChart(
                        "Redis memory of a subject",
                        List.of(
                                Reading.once("this library, token bucket", Unit.BYTES, bucket.median()),
                                Reading.once("this library, counter", Unit.BYTES, counter.median()),
                                Reading.once("this library, fixed window", Unit.BYTES, fixed.median()),
                                gateway,
                                bucket4j,
                                redisson))));
    }

    private static Limit limit(Algorithm algorithm) {
        return Limit.of("api", algorithm, LIMIT, WINDOW);
    }

    private static Reading parts(RedisSite redis, int buckets) {
        return own(redis, limit(Algorithm.SLIDING_WINDOW_COUNTER).withBuckets(buckets), MANY);
    }

    private static Row beside(String what, Reading own, Reading bucket) {
        return new Row(what, own, Reading.once("token-bucket", Unit.BYTES, bucket.median()), Target.none());
    }

    private static List<Row> logRows(RedisSite redis, Reading bucket) {
        Limit log = limit(Algorithm.SLIDING_WINDOW_LOG);
        Reading one = own(redis, log, ONE_REQUEST);
        Reading filled = own(redis, log, LONG_LOGS);
        try (OwnLimiter own = OwnLimiter.openStore(redis, log);
                SortedSetLog set = SortedSetLog.open(redis, LIMIT, WINDOW)) {
            Reading entry = bytes("this library", filled.median() / LONG_LOGS.requests());
            Reading member = bytes(
                    SortedSetLog.NAME,
                    LONG_LOGS.bytesAfter(redis, set, SortedSetLog::tryAcquire) / LONG_LOGS.requests());
            Reading hundred = bytes(
                    "this library", ONE_REQUEST.bytesAfter(redis, own, (each, name) -> each.tryAcquire(name, 100)));
            Reading members = bytes(
                    SortedSetLog.NAME, ONE_REQUEST.bytesAfter(redis, set, (each, name) -> each.tryAcquire(name, 100)));
            return List.of(
                    beside("sliding-window-log, 1 request", one, bucket),
                    beside("sliding-window-log, 10 requests", own(redis, log, TEN_REQUESTS), bucket),
                    new Row("log, an entry", entry, Reading.bound(Unit.BYTES, 16), Target.atMost(1)),
                    new Row("log, an entry", entry, member, Target.none()),
                    new Row(
                            "log, one call of cost 100",
                            hundred,
                            bytes("the same of cost 1", one.median()),
                            Target.atMost(1.05)),
                    new Row("log, one call of cost 100", hundred, members, Target.none()));
        }
    }

    private static Reading own(RedisSite redis, Limit limit, KeyMemory memory) {
        try (OwnLimiter own = OwnLimiter.openStore(redis, limit)) {
            return bytes(own.name(), memory.bytesAfter(redis, own, OwnLimiter::tryAcquire));
        }
    }

    private static Reading of(RedisSite redis, Contender peer) {
        try (peer) {
            return bytes(peer.name(), MANY.bytesAfter(redis, peer, Contender::tryAcquire));
        }
    }

    private static Reading bytes(String name, double bytes) {
        return Reading.once(name, Unit.BYTES, bytes);
    }
}
