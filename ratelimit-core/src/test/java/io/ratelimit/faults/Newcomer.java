package io.ratelimit.faults;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;

/** A process that has just begun makes its first calls, all at once, and ends, as a job does. */
public final class Newcomer {

    private static final int CALLS = 20;

    private Newcomer() {}

    /** Where Redis is, and the limit. Prints how many calls were admitted, and how many the store did not decide. */
    public static void main(String[] args) {
        Acquisition one = Asker.one(Algorithm.TOKEN_BUCKET, Long.parseLong(args[1]));
        RedisClient client = RedisClient.create(args[0]);
        try (RateLimiterStack limiter =
                RateLimiterStack.onRedis(RedisConnections.of(client.connect())).build()) {
            List<Decision> decisions = Threads.run(CALLS, thread -> () -> limiter.acquire(one));
            System.out.printf(
                    "admitted %d, not by the store %d%n",
                    decisions.stream().filter(Decision::allowed).count(),
                    decisions.stream()
                            .filter(decision -> decision.source() != Decision.Source.STORE)
                            .count());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
