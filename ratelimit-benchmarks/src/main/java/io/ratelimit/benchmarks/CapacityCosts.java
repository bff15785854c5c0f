package io.ratelimit.benchmarks;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The measured costs of a decision about a token bucket.
 *
 * @param quiet of a call that travels alone, to one of six masters that are each asked 250 times a second: their threads sleep
 *     between the calls
 * @param busy of a call that travels alone, to a Redis that is asked again at once
 * @param batched of one decision among 32 subjects in one call, and of the callers when 64 call at a time
 * @param subject bytes of a subject in Redis
 */
record CapacityCosts(Cost quiet, Cost busy, Cost batched, double subject) {

    /** @param jvmMicros of the callers' processors */
    record Cost(RedisUsage redis, double jvmMicros) {}

    static final int BATCH = 32;

    private static final int ROUNDS = 5;
    private static final int SUBJECTS = 10_240;
    private static final int CALLS = 20_480;
    private static final int QUIET = 250;
    private static final int MOST_QUIET = 1_000;

    static CapacityCosts measure(RedisSite redis) {
        Subjects subjects = new Subjects(SUBJECTS);
        double emptyBytes = redis.usedMemory();
        try (OwnLimiter limiter = OwnLimiter.open(redis, Limits.LASTING);
                StatefulRedisConnection<String, String> connection = redis.connect();
                WireTap tap = new WireTap()) {
            subjects.all().forEach(limiter::tryAcquire);
            double subject = (redis.usedMemory() - emptyBytes) / SUBJECTS;
            List<EngineCall> batches = RedisCpuSection.batches(tap, subjects, BATCH, false);
            Cost busy = cost(redis, () -> {
                for (int i = 0; i < CALLS; i++) {
                    limiter.tryAcquire(subjects.get(i % SUBJECTS));
                }
                return CALLS;
            });
            Cost batched = cost(redis, () -> {
                for (int i = 0; i < CALLS / BATCH; i++) {
                    batches.get(i % batches.size())
                            .send(connection.async())
                            .toCompletableFuture()
                            .join();
                }
                return CALLS;
            });
            Cost many = cost(redis, () -> {
                Pipeline.run(CALLS, 64, i -> limiter.tryAcquireAsync(subjects.get(i % SUBJECTS)));
                return CALLS;
            });
            return new CapacityCosts(asTried(), busy, new Cost(batched.redis, many.jvmMicros), subject);
        }
    }

    /** Beside others, as masters are tried: those that share processors find less of their own in the caches. */
    private static Cost asTried() {
        CapacityLoad load = new CapacityLoad(SUBJECTS, QUIET * ClusterTrial.MASTERS);
        try (ClusterTrial trial = new ClusterTrial()) {
            ClusterTrial.Used used = trial.run(load);
            return new Cost(used.aSecond().each((int) load.perSecond()), used.jvmMicros() / load.perSecond());
        }
    }

    /** Returns what a lone call costs a master that decides so many a second. */
    Cost alone(double perSecond) {
        return perSecond <= MOST_QUIET ? quiet : busy;
    }

    /** Measures what each call of a load costs: the median of the rounds after one that does not count. */
    private static Cost cost(RedisSite redis, IntSupplier load) {
        List<Cost> rounds = Stream.generate(() -> {
                    RedisUsage before = redis.usage();
                    long startNanos = DecisionCost.cpuNanos();
                    int calls = load.getAsInt();
                    double jvmMicros = (DecisionCost.cpuNanos() - startNanos) / 1e3;
                    return new Cost(redis.usage().since(before).each(calls), jvmMicros / calls);
                })
                .limit(1 + ROUNDS)
                .skip(1)
                .toList();
        return new Cost(
                new RedisUsage(
                        median(rounds, round -> round.redis.cpuMicros()), median(rounds, round -> round.redis.bytes())),
                median(rounds, Cost::jvmMicros));
    }

    private static double median(List<Cost> rounds, ToDoubleFunction<Cost> value) {
        return rounds.stream()
                .mapToDouble(value)
                .sorted()
                .skip(ROUNDS / 2)
                .findFirst()
                .orElseThrow();
    }
}
