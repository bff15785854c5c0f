package io.ratelimit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.ReplyProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis decides, but its reply arrives late or never: no call is charged twice, or charged although it failed. */
class LateReplyTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final RedisProcess server = RedisProcess.start();
    private final ReplyProxy proxy = new ReplyProxy(server.port());
    private final RedisUnderTest redis = RedisUnderTest.on(
            proxy.uri(),
            TIMEOUT,
            ClientOptions.builder()
                    .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                    .build());

    @AfterEach
    void close() throws IOException {
        redis.close();
        proxy.close();
        server.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNIQUE_COUNT")
    void aCallWhoseReplyIsLostIsNotSentAgain(Algorithm algorithm) {
        Limit limit = Limit.of("lost", algorithm, 100, Duration.ofDays(300));
        awaitAnswer(limit);
        proxy.loseNextReply();

        assertThatThrownBy(() -> redis.limiter().acquire(Acquisition.of(limit, "alice")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("lost");

        awaitAnswer(limit);
        assertThat(remaining(limit, "alice")).isEqualTo(99);
    }

    @Test
    void whoWasToldThatItFailedGetsBackWhatTheLateReplySaysWasCharged() {
        Limit limit = Limit.of("late", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        awaitAnswer(limit);
        CountDownLatch first = proxy.holdReplies();
        // as many as the round trip allows are sent alone; those after them share a batch
        List<CompletableFuture<Decision>> leads =
                IntStream.range(0, 64).mapToObj(i -> asked(limit, "zero")).toList();
        CompletableFuture<Decision> early = asked(limit, "early");
        Awaitility.await("a part of the timeout")
                .pollDelay(Duration.ofSeconds(1))
                .until(() -> !early.isDone());
        CompletableFuture<Decision> later = asked(limit, "later");
        CountDownLatch second = proxy.holdReplies();
        first.countDown();

        assertThat(leads.get(0)).succeedsWithin(1, TimeUnit.SECONDS);
        assertThat(early).failsWithin(TIMEOUT).withThrowableOfType(ExecutionException.class);
        second.countDown();

        assertThat(later).succeedsWithin(2, TimeUnit.SECONDS);
        Awaitility.await().until(() -> remaining(limit, "early") == 100);
        assertThat(remaining(limit, "later")).isEqualTo(99);
    }

    @Test
    void whoWasToldSoAndWasAloneOnTheWayGetsItBackToo() {
        Limit limit = Limit.of("only", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        awaitAnswer(limit);
        CountDownLatch held = proxy.holdReplies();
        CompletableFuture<Decision> only = asked(limit, "alice");
        assertThat(only).failsWithin(TIMEOUT.plusSeconds(1)).withThrowableOfType(ExecutionException.class);

        held.countDown();

        Awaitility.await().until(() -> remaining(limit, "alice") == 100);
    }

    @Test
    void allUnitsThatALateReplySaysWereTakenAreGivenBack() {
        Limit limit = Limit.of("units", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        awaitAnswer(limit);
        CountDownLatch held = proxy.holdReplies();
        CompletableFuture<Decision> units = redis.limiter()
                .acquireUpToAsync(Acquisition.of(limit, "alice"), 7)
                .toCompletableFuture();
        assertThat(units).failsWithin(TIMEOUT.plusSeconds(1)).withThrowableOfType(ExecutionException.class);

        held.countDown();

        Awaitility.await().until(() -> remaining(limit, "alice") == 100);
    }

    @Test
    void whatIsAnsweredWhileCallsArePausedIsGivenBackAfterThePause() {
        Limit limit = Limit.of("paused", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        awaitAnswer(limit);
        CountDownLatch held = proxy.holdReplies();
        Awaitility.await("enough silences to pause calls")
                .atMost(TIMEOUT.multipliedBy(7))
                .until(() -> {
                    assertThat(asked(limit, "alice"))
                            .failsWithin(TIMEOUT.plusSeconds(1))
                            .withThrowableOfType(ExecutionException.class);
                    return redis.limiter().breakers().containsValue(BreakerState.OPEN);
                });

        held.countDown();

        Awaitility.await().ignoreExceptions().until(() -> remaining(limit, "alice") == 100);
    }

    @Test
    void closingWaitsForCallsInFlightAndFailsLaterOnes() {
        Limit limit = Limit.of("closed", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        awaitAnswer(limit);
        CountDownLatch held = proxy.holdReplies();
        CompletableFuture<Decision> inFlight = asked(limit, "alice");
        CompletableFuture<Void> closing = CompletableFuture.runAsync(redis.limiter()::close);
        Awaitility.await().until(() -> asked(limit, "bob").isCompletedExceptionally());
        assertThat(closing).isNotDone();

        held.countDown();

        assertThat(inFlight).succeedsWithin(1, TimeUnit.SECONDS).matches(Decision::allowed);
        assertThat(closing).succeedsWithin(1, TimeUnit.SECONDS);
        assertThat(asked(limit, "carol"))
                .failsWithin(1, TimeUnit.SECONDS)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("closed");
    }

    @Test
    void closingFailsCallsThatRedisDoesNotAnswerInTime() {
        Limit limit = Limit.of("silent", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        awaitAnswer(limit);
        CountDownLatch held = proxy.holdReplies();
        CompletableFuture<Decision> inFlight = asked(limit, "alice");

        redis.limiter().close();

        assertThat(inFlight).failsWithin(1, TimeUnit.SECONDS).withThrowableOfType(ExecutionException.class);
        held.countDown();
    }

    @Test
    void whoBlocksWhenToldThatItFailedHoldsUpNobody() {
        Limit limit = Limit.of("blocks", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        awaitAnswer(limit);
        CountDownLatch held = proxy.holdReplies();

        CompletableFuture<Decision> again =
                asked(limit, "alice").exceptionally(failed -> redis.limiter().acquire(Acquisition.of(limit, "alice")));

        assertThat(again).failsWithin(TIMEOUT.multipliedBy(3)).withThrowableOfType(ExecutionException.class);
        assertThat(asked(limit, "bob"))
                .failsWithin(TIMEOUT.multipliedBy(2))
                .withThrowableOfType(ExecutionException.class);
        held.countDown();
    }

    private CompletableFuture<Decision> asked(Limit limit, String subject) {
        return redis.limiter().acquireAsync(Acquisition.of(limit, subject)).toCompletableFuture();
    }

    private long remaining(Limit limit, String subject) {
        return redis.limiter().peek(Acquisition.of(limit, subject)).remaining();
    }

    private void awaitAnswer(Limit limit) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> remaining(limit, "warm-up") == 100);
    }
}
