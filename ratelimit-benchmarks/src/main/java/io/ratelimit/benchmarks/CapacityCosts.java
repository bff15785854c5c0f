package io.ratelimit.benchmarks;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * The measured costs of a decision about a token bucket: for a call that travels alone, and for each of 32 that share one.
 *
 * @param alone Redis' time and the bytes of a lone call
 * @param batched those of one decision among 32 subjects in one call
 * @param jvmAlone µs of the callers' processors for a lone call
 * @param jvmBatched the same with 64 calls at a time
 * @param subject bytes of a subject in Redis
 */
record CapacityCosts(RedisUsage alone, RedisUsage batched, double jvmAlone, double jvmBatched, double subject) {

    static final int BATCH = 32;

    private static final int ROUNDS = 5;
    private static final int SUBJECTS = 10_240;
    private static final int CALLS = 20_480;

    static CapacityCosts measure(RedisSite redis) {
        Subjects subjects = new Subjects(SUBJECTS);
        double emptyBytes = redis.usedMemory();
        try (OwnLimiter limiter = OwnLimiter.open(redis, Limits.LASTING);
                StatefulRedisConnection<String, String> connection = redis.connect();
                WireTap tap = new WireTap()) {
            subjects.all().forEach(limiter::tryAcquire);
            double subject = (redis.usedMemory() - emptyBytes) / SUBJECTS;
            List<EngineCall> batches = RedisCpuSection.batches(tap, subjects, BATCH, false);
            List<Cost> alone = rounds(redis, CALLS, calls -> {
                for (int i = 0; i < calls; i++) {
                    limiter.tryAcquire(subjects.get(i % SUBJECTS));
                }
            });
            List<Cost> batched = rounds(redis, CALLS, calls -> {
                for (int i = 0; i < calls / BATCH; i++) {
                    batches.get(i % batches.size())
                            .send(connection.async())
                            .toCompletableFuture()
                            .join();
                }
            });
            List<Cost> many = rounds(
                    redis,
                    CALLS,
                    calls -> Pipeline.run(calls, 64, i -> limiter.tryAcquireAsync(subjects.get(i % SUBJECTS))));
            return new CapacityCosts(redis(alone), redis(batched), jvm(alone), jvm(many), subject);
        }
    }

    private record Cost(RedisUsage redis, double jvmMicros) {}

    /** Measures what each call of a load costs, of rounds after one that does not count. */
    private static List<Cost> rounds(RedisSite redis, int calls, IntConsumer load) {
        return Stream.generate(() -> {
                    RedisUsage before = redis.usage();
                    long startNanos = DecisionCost.cpuNanos();
                    load.accept(calls);
                    double jvmMicros = (DecisionCost.cpuNanos() - startNanos) / 1e3;
                    return new Cost(redis.usage().since(before).each(calls), jvmMicros / calls);
                })
                .limit(1 + ROUNDS)
                .skip(1)
                .toList();
    }

    private static RedisUsage redis(List<Cost> rounds) {
        return new RedisUsage(
                median(rounds.stream().mapToDouble(round -> round.redis.cpuMicros())),
                median(rounds.stream().mapToDouble(round -> round.redis.bytes())));
    }

    private static double jvm(List<Cost> rounds) {
        return median(rounds.stream().mapToDouble(Cost::jvmMicros));
    }

    private static double median(DoubleStream of) {
        return of.sorted().skip(ROUNDS / 2).findFirst().orElseThrow();
    }
}
