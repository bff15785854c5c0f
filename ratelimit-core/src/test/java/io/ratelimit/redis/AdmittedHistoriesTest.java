package io.ratelimit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whatever three instances are admitted by Redis and its real clock, also while it fails, keeps every limit. */
@ExtendWith(NoThreadsLeft.class)
class AdmittedHistoriesTest {

    private static final Duration LENGTH = Duration.ofSeconds(2);
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
        RecordedLoad load = loadWhile(Duration.ofMillis(100), () -> {});

        load.assertKeptEveryLimit("Redis");
    }

    @Test
    void whileScriptsAreFlushed() {
        RecordedLoad load = loadWhile(Duration.ofMillis(20), () -> redis.redis().scriptFlush());

        load.assertKeptEveryLimit("Redis, scripts flushed every 20 ms");
    }

    @Test
    void whileItHangsTimeAndAgain() {
        AtomicBoolean hung = new AtomicBoolean();
        RecordedLoad load =
                loadWhile(Duration.ofMillis(250), () -> server.signal(hung.getAndSet(!hung.get()) ? "CONT" : "STOP"));

        load.assertKeptEveryLimit("Redis, hung every half second for 250 ms");
        assertThat(load.failed.sum()).isPositive();
    }

    @Test
    void whileItIsPausedTimeAndAgain() {
        RecordedLoad load =
                loadWhile(Duration.ofMillis(250), () -> redis.redis().clientPause(250));

        load.assertKeptEveryLimit("Redis, paused every half second for 250 ms");
        assertThat(load.failed.sum()).isPositive();
    }

    /** The load, and what is done to Redis every so often until it is over. */
    private RecordedLoad loadWhile(Duration interval, Runnable fault) {
        CompletableFuture<RecordedLoad> load = CompletableFuture.supplyAsync(() -> RecordedLoad.run(
                "histories", LENGTH, List.of(redis.limiter(), redis.anotherLimiter(), redis.anotherLimiter())));
        Awaitility.await("the end of the load")
                .pollInterval(interval)
                .atMost(LENGTH.plusSeconds(60))
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
}
