package io.ratelimit.faults;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.internal.redis.RedisRateLimiter;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.stream.IntStream;

/** A process that calls for one subject on sixteen threads and prints how many calls were admitted. */
public final class Asker {

    static final int THREADS = 16;

    private Asker() {}

    /** Where Redis is, algorithm, limit, calls of each thread. */
    public static void main(String[] args) {
        Acquisition one = one(Algorithm.valueOf(args[1]), Long.parseLong(args[2]));
        int calls = Integer.parseInt(args[3]);
        RedisClient client = RedisClient.create(args[0]);
        try (RedisRateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(client.connect()))
                .timeout(Duration.ofSeconds(20))
                .build()) {
            long admitted = Threads.run(
                            THREADS,
                            thread -> () -> IntStream.range(0, calls)
                                    .filter(i -> limiter.acquire(one).allowed())
                                    .count())
                    .stream()
                    .mapToLong(Long::longValue)
                    .sum();
            System.out.println("admitted " + admitted);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    /** A window so long that none of it passes meanwhile. */
    static Acquisition one(Algorithm algorithm, long most) {
        return Acquisition.of(Limit.of("hot", algorithm, most, Duration.ofDays(366)), "alice");
    }
}
