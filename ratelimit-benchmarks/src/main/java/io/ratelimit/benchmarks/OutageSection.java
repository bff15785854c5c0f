package io.ratelimit.benchmarks;

import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Measures how long a caller waits when Redis hangs: it holds its connections and answers nothing. */
final class OutageSection implements Section {

    private static final int ROUNDS = 5;
    private static final int CALLS_BEFORE = 1_000;
    private static final Duration HANG = Duration.ofSeconds(2);
    private static final String SUBJECT = "user00000000";

    @Override
    public String id() {
        return "outage";
    }

    @Override
    public String pace(Pace pace) {
        return "%d times".formatted(rounds(pace));
    }

    @Override
    public Findings run(Site site) {
        Map<String, Function<RedisSite, Contender>> contenders = new LinkedHashMap<>();
        contenders.put(OwnLimiter.NAME, OwnLimiter::byDefault);
        contenders.put(PlainEvalsha.NAME, PlainEvalsha::open);
        contenders.put(Bucket4jRedis.BATCHING, Bucket4jRedis::batching);
        contenders.put(RedissonLimiter.NAME, RedissonLimiter::open);
        contenders.put(GatewayScript.NAME, GatewayScript::open);
        Map<String, Reading> waits;
        try (RedisProcess process = RedisProcess.start();
                RedisSite redis = RedisSite.at(process.port())) {
            Contest<Double> contest = new Contest<>();
            contenders.forEach((name, open) -> contest.add(name, () -> longestMillis(open.apply(redis), process)));
            waits = Reading.each(Unit.MILLIS, contest.runCold(rounds(site.pace())));
        }
        Reading own = Objects.requireNonNull(waits.get(OwnLimiter.NAME));
        List<Row> rows = new ArrayList<>();
        waits.values().stream()
                .filter(other -> !other.equals(own))
                .forEach(other -> rows.add(new Row("longest wait", own, other, Target.none())));
        return new Findings(
                id(),
                "A Redis that hangs for two seconds",
                "One caller that asks again and again, each time with a new limiter that has made 1,000 decisions before. This library has its defaults: a timeout of 100 ms, then it counts in memory. The others wait, by their defaults and those of their Redis clients.",
                rows,
                List.of());
    }

    private static int rounds(Pace pace) {
        return Math.min(ROUNDS, pace.rounds());
    }

    private static double longestMillis(Contender contender, RedisProcess redis) {
        try (contender) {
            for (int i = 0; i < CALLS_BEFORE; i++) {
                contender.tryAcquire(SUBJECT);
            }
            redis.signal("STOP");
            CompletableFuture<Void> over = CompletableFuture.runAsync(
                    () -> redis.signal("CONT"),
                    CompletableFuture.delayedExecutor(HANG.toMillis(), TimeUnit.MILLISECONDS));
            long longestNanos = 0;
            while (!over.isDone()) {
                long startNanos = System.nanoTime();
                contender.tryAcquire(SUBJECT);
                longestNanos = Math.max(longestNanos, System.nanoTime() - startNanos);
            }
            over.join();
            return longestNanos / 1e6;
        }
    }
}
