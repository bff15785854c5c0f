package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.ratelimit.RateLimiter;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RecordedLoad;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whatever three instances are admitted by Redis and its real clock, also while it fails, keeps every limit. */
@ExtendWith(NoThreadsLeft.class)
class AdmittedHistoriesTest {

    private static final Duration SHORT = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofSeconds(3);
    private static final Duration TIMEOUT = Duration.ofMillis(100);

    private final RedisProcess server = RedisProcess.start();
    private final RedisUnderTest redis = RedisUnderTest.on(server.uri(), TIMEOUT, ClientOptions.create());

    @AfterEach
    void close() {
        server.signal("CONT");
        redis.close();
        Leftovers.assertNone(List.of(server));
        server.close();
    }

    @Test
    void whenAllIsWell() {
        assertKeptEveryLimitWhenAllIsWell(SHORT);
    }

    @Test
    void whileScriptsAreFlushed() {
        assertKeptEveryLimitWhileScriptsAreFlushed(SHORT);
    }

    @Test
    void whileItHangsTimeAndAgain() {
        assertKeptEveryLimitWhileItHangs(SHORT);
    }

    @Test
    void whileItIsPausedTimeAndAgain() {
        assertKeptEveryLimitWhileItIsPaused(SHORT);
    }

    @Test
    @Tag("slow")
    void forLonger() {
        assertKeptEveryLimitWhenAllIsWell(LONG);
        assertKeptEveryLimitWhileScriptsAreFlushed(LONG);
        assertKeptEveryLimitWhileItHangs(LONG);
        assertKeptEveryLimitWhileItIsPaused(LONG);
    }

    private void assertKeptEveryLimitWhenAllIsWell(Duration length) {
        loadWhile(length, Duration.ofMillis(100), () -> {}, RecordedLoad::run).assertKeptEveryLimit("Redis");
    }

    private void assertKeptEveryLimitWhileScriptsAreFlushed(Duration length) {
        loadWhile(length, Duration.ofMillis(20), () -> redis.redis().scriptFlush(), RecordedLoad::run)
                .assertKeptEveryLimit("Redis, scripts flushed every 20 ms");
    }

    private void assertKeptEveryLimitWhileItHangs(Duration length) {
        AtomicBoolean hung = new AtomicBoolean();
        RecordedLoad load = loadWhile(
                length,
                Duration.ofMillis(250),
                () -> server.signal(hung.getAndSet(!hung.get()) ? "CONT" : "STOP"),
                RecordedLoad::runUntilSomeFail);

        load.assertKeptEveryLimit("Redis, hung every half second for 250 ms");
        assertThat(load.failed.sum()).isPositive();
    }

    private void assertKeptEveryLimitWhileItIsPaused(Duration length) {
        RecordedLoad load = loadWhile(
                length, Duration.ofMillis(250), () -> redis.redis().clientPause(250), RecordedLoad::runUntilSomeFail);

        load.assertKeptEveryLimit("Redis, paused every half second for 250 ms");
        assertThat(load.failed.sum()).isPositive();
    }

    /** The load, which goes on until it has seen what it needs, and what is done to Redis every so often until it is over. */
    private RecordedLoad loadWhile(Duration length, Duration interval, Runnable fault, Load kind) {
        CompletableFuture<RecordedLoad> load = CompletableFuture.supplyAsync(() -> kind.run(
                "histories", length, List.of(redis.limiter(), redis.anotherLimiter(), redis.anotherLimiter())));
        Awaitility.await("the end of the load")
                .pollInterval(interval)
                .atMost(length.plusMinutes(2))
                .until(() -> {
                    if (load.isDone()) {
                        server.signal("CONT");
                        return true;
                    }
                    fault.run();
                    return false;
                });
        return load.join();
    }

    @FunctionalInterface
    private interface Load {
        RecordedLoad run(String name, Duration length, List<? extends RateLimiter> limiters);
    }
}
