package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.Unanswered;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A Redis that accepts calls and does not answer: callers fail within the timeout and are never charged later. */
@ExtendWith(NoThreadsLeft.class)
class HungRedisTest {

    private static final Duration TIMEOUT = Duration.ofMillis(100);
    private static final Limit LIMIT = Limit.of("hundred", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofHours(1));
    private static final Acquisition ONE = Acquisition.of(LIMIT, "alice");

    private final RedisProcess server = RedisProcess.start();
    private final RedisUnderTest redis = RedisUnderTest.on(server.uri(), TIMEOUT, ClientOptions.create());

    @AfterEach
    void close() {
        server.close();
        redis.close();
    }

    @Test
    void aCallEndsWithItsTimeout() {
        awaitAnswer();
        server.signal("STOP");

        for (int i = 0; i < 3; i++) {
            Unanswered.assertTold(redis.limiter().acquireAsync(ONE)).withMessageContaining("100 ms");
        }
    }

    @Test
    void aCallTakesNoLongerThoughTheCommonPoolIsFullOfWhatWaitsForIt() {
        awaitAnswer();
        server.signal("STOP");
        CountDownLatch completed = new CountDownLatch(1);
        for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
            ForkJoinPool.commonPool().submit(() -> completed.await(5, TimeUnit.MINUTES));
        }

        assertThat(redis.limiter().acquireAsync(ONE).toCompletableFuture())
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableThat()
                .withMessageContaining("100 ms");
        completed.countDown();
    }

    @Test
    void aResetEndsWithItsTimeout() {
        awaitAnswer();
        server.signal("STOP");

        Unanswered.assertTold(redis.limiter().resetAsync(LIMIT, "alice")).withMessageContaining("100 ms");
    }

    @Test
    void whoWasToldThatRedisDidNotAnswerIsNotChargedLater() {
        awaitAnswer();
        redis.patientLimiter().reset(LIMIT, "alice");
        server.signal("STOP");
        List<CompletableFuture<Decision>> abandoned = IntStream.range(0, 50)
                .mapToObj(i -> redis.limiter().acquireAsync(ONE).toCompletableFuture())
                .toList();
        abandoned.forEach(answer ->
                assertThat(answer).failsWithin(1, TimeUnit.MINUTES).withThrowableOfType(ExecutionException.class));
        // the last ones left for Redis before they were given up; they too must be past their time there
        assertThatThrownBy(() -> redis.limiter().acquire(ONE)).isInstanceOf(StoreUnavailableException.class);

        server.signal("CONT");

        awaitAnswer();
        assertThat(redis.patientLimiter().peek(ONE).remaining()).isEqualTo(100);
    }

    @Test
    void theVeryFirstCallOfALimiterIsBoundedToo() {
        server.signal("STOP");
        List<RedisRateLimiter> fresh = Stream.generate(
                        () -> RedisRateLimiter.builder(RedisConnections.of(redis.connection()))
                                .timeout(Duration.ofMillis(2))
                                .build())
                .limit(100)
                .toList();

        List<CompletableFuture<Decision>> first = fresh.stream()
                .map(limiter -> limiter.acquireAsync(ONE).toCompletableFuture())
                .toList();

        assertThat(first)
                .allSatisfy(answer -> assertThat(answer)
                        .failsWithin(1, TimeUnit.MINUTES)
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(StoreUnavailableException.class));
        fresh.forEach(RedisRateLimiter::close);
    }

    @Test
    void theVeryFirstCallOfALimiterIsNotChargedLaterEither() {
        // Redis knows the script already, as it does when one more instance starts
        awaitAnswer();
        server.signal("STOP");
        try (RedisRateLimiter fresh = RedisRateLimiter.builder(RedisConnections.of(redis.connection()))
                .keyPrefix(redis.prefix)
                .timeout(TIMEOUT)
                .build()) {
            assertThatThrownBy(() -> fresh.acquire(ONE)).isInstanceOf(StoreUnavailableException.class);
            server.signal("CONT");
        }

        awaitAnswer();
        assertThat(redis.patientLimiter().peek(ONE).remaining()).isEqualTo(100);
    }

    /** Several in a row, so that earlier timeouts, of a machine that is busy, do not count for a pause. */
    private void awaitAnswer() {
        Awaitility.await()
                .ignoreExceptions()
                .until(() -> IntStream.range(0, 5)
                        .allMatch(i -> redis.limiter().peek(ONE).allowed()));
    }
}
