package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.SharedThreads;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;

/** A connected limiter with its own key prefix. */
final class RedisUnderTest implements AutoCloseable {

    private static final Duration PATIENT = Duration.ofMinutes(1);

    final String prefix = "test-" + UUID.randomUUID();

    /** What stands first in the script. */
    final String clockText;

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisRateLimiter limiter;
    private final List<RedisRateLimiter> others = new ArrayList<>();
    private final Duration timeout;
    private final boolean onShared;

    private RedisUnderTest(String uri, Duration timeout, String clockText, ClientOptions options) {
        this.timeout = timeout;
        onShared = uri.equals(TestRedis.uri());
        client = RedisClient.create(SharedThreads.ofLimiters(), Leftovers.named(RedisURI.create(uri)));
        client.setOptions(options);
        connection = client.connect();
        this.clockText = clockText.replace("CLOCK_KEY", clockKey());
        limiter = RedisRateLimiter.builder(RedisConnections.of(connection))
                .keyPrefix(prefix)
                .timeout(timeout)
                .clockText(this.clockText)
                .build();
    }

    /** On the Redis that the tests share, where the time is what a key says. */
    static RedisUnderTest withClockOfItsOwn() {
        return new RedisUnderTest(TestRedis.uri(), PATIENT, SettableRedisClock.TEXT, ClientOptions.create());
    }

    static RedisUnderTest withRedisTime() {
        return on(TestRedis.uri(), PATIENT, ClientOptions.create());
    }

    static RedisUnderTest on(String uri, Duration timeout, ClientOptions options) {
        return new RedisUnderTest(uri, timeout, EngineScript.resource("clock"), options);
    }

    /** On another Redis, where this Lua tells the time. */
    static RedisUnderTest on(String uri, String clockText) {
        return new RedisUnderTest(uri, PATIENT, clockText, ClientOptions.create());
    }

    RedisRateLimiter limiter() {
        return limiter;
    }

    /** Returns a limiter of another instance: the same keys and Redis' own time, on another connection. */
    RedisRateLimiter anotherLimiter() {
        return anotherLimiter(timeout);
    }

    /** Returns another one, for what is looked up after a fault: a machine that is busy for a moment fails no call of it. */
    RedisRateLimiter patientLimiter() {
        return anotherLimiter(PATIENT);
    }

    private RedisRateLimiter anotherLimiter(Duration timeout) {
        RedisRateLimiter other = RedisRateLimiter.builder(RedisConnections.of(client.connect()))
                .keyPrefix(prefix)
                .timeout(timeout)
                .build();
        others.add(other);
        return other;
    }

    /** Waits for a round trip so short that at most so many of the next calls are sent alone. */
    void awaitRoundTripFor(int mostInFlight) {
        Acquisition any =
                Acquisition.of(Limit.of("round-trip", Algorithm.FIXED_WINDOW, 1, Duration.ofHours(1)), "nobody");
        Awaitility.await("a round trip for %d batches in flight".formatted(mostInFlight))
                .pollInterval(Duration.ofMillis(1))
                .ignoreExceptions()
                .until(() -> {
                    long startNanos = System.nanoTime();
                    limiter.peek(any);
                    RoundTrips asSlow = new RoundTrips();
                    asSlow.add(startNanos, System.nanoTime());
                    return asSlow.mostInFlight() <= mostInFlight;
                });
    }

    StatefulRedisConnection<String, String> connection() {
        return connection;
    }

    RedisCommands<String, String> redis() {
        return connection.sync();
    }

    /** Waits: a batch that leaves from the connection's own thread would overtake it. */
    void setClock(long micros) {
        redis().set(clockKey(), Long.toString(micros));
    }

    /** Lets keys expire by the settable clock or not at all, instead of by real time. */
    void expireByClock(boolean expire) {
        redis().del(clockKey() + SettableRedisClock.ENDS);
        redis().hset(clockKey() + SettableRedisClock.ENDS, "", expire ? "1" : "0");
    }

    /** Lets no key expire, whose time would go on while the settable clock stands still. */
    RedisUnderTest withoutExpiry() {
        expireByClock(false);
        return this;
    }

    /** Each of which has a time to live, whatever the test did. */
    private void forgetKeys() {
        redis().del(clockKey(), clockKey() + SettableRedisClock.ENDS);
        List<String> keys = redis().keys(prefix + "*");
        assertThat(keys).allSatisfy(key -> assertThat(redis().pttl(key)).isNotEqualTo(-1));
        keys.forEach(key -> redis().del(key));
    }

    private String clockKey() {
        return "clock-of-" + prefix;
    }

    @Override
    public void close() {
        limiter.close();
        others.forEach(RedisRateLimiter::close);
        if (onShared) {
            forgetKeys();
        }
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
    }
}
