package io.ratelimit.faults;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.internal.Micros;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A process whose threads wait for one subject's quota, some of them until they give up. Prints how each call ended. */
public final class PatientCaller {

    private static final int THREADS = 8;

    /** Callers that give up about when the store answers often leave a charge behind. */
    private static final long FIRST_ANSWER_NANOS = 2_000_000;

    /** How a call ended, and after what time: at the store's time of the decision, or 0 if the caller gave up. */
    record Ended(boolean admitted, long atMicros, long cost, long maxWaitMicros, long waitedMicros) {

        static Ended parse(String line) {
            String[] fields = line.split(" ", -1);
            return new Ended(
                    Boolean.parseBoolean(fields[1]),
                    Long.parseLong(fields[2]),
                    Long.parseLong(fields[3]),
                    Long.parseLong(fields[4]),
                    Long.parseLong(fields[5]));
        }

        String line() {
            return "ended %s %d %d %d %d".formatted(admitted, atMicros, cost, maxWaitMicros, waitedMicros);
        }

        boolean gaveUp() {
            return atMicros == 0;
        }
    }

    private PatientCaller() {}

    /** Where Redis is, algorithm, a number that differs between processes, how long to call in ms. */
    public static void main(String[] args) {
        Acquisition one = Acquisition.of(limit(Algorithm.valueOf(args[1])), "alice");
        RedisClient client = RedisClient.create(args[0]);
        try (RateLimiterStack limiter = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .timeout(Duration.ofSeconds(20))
                .onStoreFailure(FailurePolicy.CLOSED)
                .build()) {
            limiter.peek(one);
            long endNanos = System.nanoTime()
                    + Duration.ofMillis(Long.parseLong(args[3])).toNanos();
            Threads.run(THREADS, thread -> () -> calls(limiter, one, SeededRandom.of(args[2] + thread), endNanos))
                    .forEach(ended -> ended.forEach(call -> System.out.println(call.line())));
            System.out.println("finished");
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    /** A window of 10 s: a call of 1 s at most waits for the second one, which is not over when the processes end. */
    static Limit limit(Algorithm algorithm) {
        return algorithm.hasBurst()
                ? Limit.of("awaited", algorithm, 50, Duration.ofSeconds(10)).withBurst(200)
                : Limit.of("awaited", algorithm, 200, Duration.ofSeconds(10));
    }

    private static List<Ended> calls(RateLimiterStack limiter, Acquisition one, SeededRandom random, long endNanos)
            throws InterruptedException, ExecutionException {
        List<Ended> ended = new ArrayList<>();
        while (System.nanoTime() - endNanos < 0) {
            long cost = random.between(1, 3);
            Duration maxWait = Duration.ofMillis(random.oneOf(0, 20, 200, 500, 1_000));
            Acquisition acquisition =
                    Acquisition.of(one.charges().get(0).limit(), "alice", cost).withMaxWait(maxWait);
            long startNanos = System.nanoTime();
            Decision decision = maxWait.isZero() || random.oneIn(3)
                    ? limiter.acquire(acquisition)
                    : unlessGivenUp(
                            limiter.acquireAsync(acquisition).toCompletableFuture(),
                            random.between(0, random.oneIn(2) ? FIRST_ANSWER_NANOS : maxWait.toNanos()));
            long waitedMicros = (System.nanoTime() - startNanos) / 1_000;
            ended.add(new Ended(
                    decision != null && decision.allowed(),
                    decision == null ? 0 : Micros.of(decision.decidedAt()),
                    cost,
                    Micros.of(maxWait),
                    waitedMicros));
            LockSupport.parkNanos(random.between(1, 20_000_000)); // a refused caller would otherwise take a processor
        }
        return ended;
    }

    /** Returns null if the caller has given up before there was a decision. */
    private static @Nullable Decision unlessGivenUp(CompletableFuture<Decision> asked, long nanos)
            throws InterruptedException, ExecutionException {
        try {
            return asked.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            return asked.cancel(true) ? null : asked.get();
        }
    }
}
