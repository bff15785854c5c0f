package io.ratelimit.benchmarks;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a subject costs in Redis' memory. */
final class RedisMemorySection implements Section {

    private static final int REQUESTS = 100;
    private static final int ENTRIES = 1_000;
    private static final Duration WINDOW = Duration.ofHours(1);

    @Override
    public String id() {
        return "redis-memory";
    }

    @Override
    public Findings run(Site site) {
        RedisSite redis = site.redis();
        Reading bucket = own(redis, Algorithm.TOKEN_BUCKET);
        Reading counter = own(redis, Algorithm.SLIDING_WINDOW_COUNTER);
        Reading fixed = own(redis, Algorithm.FIXED_WINDOW);
        Reading gateway = of(redis, GatewayScript.open(redis, 1, REQUESTS));
        Reading bucket4j = of(redis, Bucket4jRedis.byDefault(redis, REQUESTS));
        Reading redisson = of(redis, RedissonLimiter.open(redis, REQUESTS));
        List<Row> rows = new ArrayList<>(List.of(
                new Row("token bucket", bucket, Reading.bound(Unit.BYTES, 104), Target.atMost(1)),
                new Row("token bucket", bucket, gateway, Target.none()),
                new Row("token bucket", bucket, bucket4j, Target.none()),
                new Row("token bucket", bucket, redisson, Target.none()),
                new Row("sliding-window counter", counter, Reading.bound(Unit.BYTES, 104), Target.atMost(1)),
                new Row("fixed window", fixed, Reading.bound(Unit.BYTES, 104), Target.atMost(1))));
        rows.addAll(logRows(redis));
        String title = "Redis memory";
        return new Findings(
                id(),
                title,
                "`MEMORY USAGE` of all keys that a subject has, each renamed to 30 bytes. A log entry is its share of a log of %,d requests of cost 1. Redis allocates by %s."
                        .formatted(ENTRIES, redis.allocator()),
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

    private static List<Row> logRows(RedisSite redis) {
        KeyMemory memory = new KeyMemory(redis);
        Limit limit = Limit.of("log", Algorithm.SLIDING_WINDOW_LOG, 10L * ENTRIES, WINDOW);
        try (OwnLimiter own = OwnLimiter.openStore(redis, limit);
                SortedSetLog set = SortedSetLog.open(redis, 10L * ENTRIES, WINDOW)) {
            Reading entry = bytes("this library", memory.bytesAfter(() -> repeat(own, ENTRIES)) / ENTRIES);
            Reading member = bytes(SortedSetLog.NAME, memory.bytesAfter(() -> repeat(set, ENTRIES)) / ENTRIES);
            Reading one = bytes("the same of cost 1", memory.bytesAfter(() -> own.tryAcquire("subject", 1)));
            Reading hundred = bytes("this library", memory.bytesAfter(() -> own.tryAcquire("subject", 100)));
            Reading members = bytes(SortedSetLog.NAME, memory.bytesAfter(() -> set.tryAcquire("subject", 100)));
            return List.of(
                    new Row("log, bytes an entry", entry, Reading.bound(Unit.BYTES, 16), Target.atMost(1)),
                    new Row("log, bytes an entry", entry, member, Target.none()),
                    new Row("log, one call of cost 100", hundred, one, Target.atMost(1)),
                    new Row("log, one call of cost 100", hundred, members, Target.none()));
        }
    }

    /** In two windows, for some algorithms keep the one before. */
    private static Reading own(RedisSite redis, Algorithm algorithm) {
        try (OwnLimiter own =
                OwnLimiter.openStore(redis, Limit.of("limit", algorithm, REQUESTS, Duration.ofSeconds(1)))) {
            return bytes(own.name(), new KeyMemory(redis).bytesAfter(() -> {
                        repeat(own, 40);
                        DecisionMeter.sleep(Duration.ofSeconds(1));
                        repeat(own, 40);
                    }));
        }
    }

    private static Reading of(RedisSite redis, Contender peer) {
        try (peer) {
            return bytes(peer.name(), new KeyMemory(redis).bytesAfter(() -> repeat(peer, 40)));
        }
    }

    private static Reading bytes(String name, double bytes) {
        return Reading.once(name, Unit.BYTES, bytes);
    }

    private static void repeat(Contender contender, int times) {
        for (int i = 0; i < times; i++) {
            contender.tryAcquire("subject");
        }
    }
}
