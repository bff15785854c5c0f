package io.ratelimit.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.util.UUID;

/**
 * A limiter on the Redis of the tests, with keys of its own and, if wanted, a clock that the test sets: the time is then
 * what a key says. TTLs run on real time whatever that clock says.
 */
final class RedisUnderTest implements AutoCloseable {

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisRateLimiter limiter;
    final String prefix = "test-" + UUID.randomUUID();

    private RedisUnderTest(String uri, boolean ownClock) {
        client = RedisClient.create(uri);
        connection = client.connect();
        RedisRateLimiter.Builder builder = RedisRateLimiter.builder(RedisConnections.of(connection))
                .keyPrefix(prefix)
                .timeout(Duration.ofSeconds(10));
        if (ownClock) {
            builder.clockText("local clock = tonumber(redis.call('GET', '" + clockKey() + "'))\n");
        }
        limiter = builder.build();
    }

    static RedisUnderTest withClockOfItsOwn() {
        return new RedisUnderTest(TestRedis.uri(), true);
    }

    static RedisUnderTest withRedisTime() {
        return new RedisUnderTest(TestRedis.uri(), false);
    }

    RedisRateLimiter limiter() {
        return limiter;
    }

    RedisCommands<String, String> redis() {
        return connection.sync();
    }

    StatefulRedisConnection<String, String> connection() {
        return connection;
    }

    /** Waits: a batch that leaves from the connection's own thread would overtake it. */
    void setClock(long micros) {
        connection.sync().set(clockKey(), Long.toString(micros));
    }

    private String clockKey() {
        return "clock-of-" + prefix;
    }

    @Override
    public void close() {
        limiter.close();
        connection
                .sync()
                .keys("*" + prefix + "*")
                .forEach(key -> connection.sync().del(key));
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
    }
}
