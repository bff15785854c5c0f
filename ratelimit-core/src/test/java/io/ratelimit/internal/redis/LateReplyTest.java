package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.BreakerState;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.ReplyProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis decides, but its reply arrives late or never: no call is charged twice, or charged although it failed. */
class LateReplyTest {

    /** A call that is answered in the end does not fail before on a slow machine. */
    private static final Duration PATIENT = Duration.ofMinutes(1);

    /** A late reply is awaited for ten timeouts, and its refund is tried for as long: no machine is that slow. */
    private static final Duration LONG = Duration.ofSeconds(2);

    /** Where nothing depends on when a call fails. */
    private static final Duration SHORT = Duration.ofMillis(200);

    private static RedisProcess server;

    private final ReplyProxy proxy = new ReplyProxy(server.port());
    private RedisUnderTest redis;
    private RedisRateLimiter patient;

    @BeforeAll
    static void start() {
        server = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void close() throws IOException {
        redis.close();
        proxy.close();
    }

    private void connect(Duration timeout) {
        redis = RedisUnderTest.on(
                proxy.uri(),
                timeout,
                ClientOptions.builder()
                        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                        .build());
        patient = redis.patientLimiter();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aCallWhoseReplyIsLostIsNotSentAgain(Algorithm algorithm) {
        Limit limit = Limit.of("lost", algorithm, 100, Duration.ofDays(300));
        connect(PATIENT);
        awaitAnswer(limit);
        proxy.loseNextReply();

        assertThatThrownBy(() -> redis.limiter().acquire(Acquisition.of(limit, "alice")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("lost");

        awaitAnswer(limit);
        assertThat(remaining(limit, "alice")).isEqualTo(99);
    }

    /** The test fails the call, as the check after its timeout does, when Redis has decided it. */
    @Test
    void whoWasToldThatItFailedGetsBackWhatTheLateReplySaysWasCharged() {
        assertTheLateReplyGivesBack(
                PATIENT,
                early -> early.completeExceptionally(
                        new StoreUnavailableException("the store did not answer, says the test")));
    }

    /** The same by a timeout, in real time: all else must take less than the second between the calls of the batch. */
    @Test
    @Tag("alone")
    void whoFailedByItsTimeoutGetsBackWhatTheLateReplySaysWasCharged() {
        Duration timeout = Duration.ofSeconds(3);
        assertTheLateReplyGivesBack(
                timeout, early -> assertThat(early).failsWithin(timeout).withThrowableOfType(ExecutionException.class));
    }

    private void assertTheLateReplyGivesBack(Duration timeout, Consumer<CompletableFuture<Decision>> failing) {
        Limit limit = Limit.of("late", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        connect(timeout);
        awaitAnswer(limit);
        int before = proxy.came();
        CountDownLatch held = proxy.holdReplies();
        // as many as the round trip allows are sent alone; those after them share a batch
        IntStream.range(0, 64).forEach(i -> asked(limit, "zero"));
        CompletableFuture<Decision> early = asked(limit, "early");
        if (timeout.compareTo(PATIENT) < 0) {
            Awaitility.await("a part of the timeout")
                    .pollDelay(Duration.ofSeconds(1))
                    .until(() -> !early.isDone());
        }
        CompletableFuture<Decision> later = asked(limit, "later");
        CountDownLatch second = holdsUntilCharged(limit, "later", before, held);
        failing.accept(early);
        second.countDown();

        assertThat(later).succeedsWithin(1, TimeUnit.MINUTES);
        Awaitility.await().until(() -> remaining(limit, "early") == 100);
        assertThat(remaining(limit, "later")).isEqualTo(99);
    }

    /** Beside it one that takes several units. */
    @Test
    void whoWasToldSoAndWasAloneOnTheWayGetsItBackToo() {
        Limit limit = Limit.of("only", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        connect(LONG);
        RedisRateLimiter other = redis.anotherLimiter();
        awaitAnswer(limit, redis.limiter());
        awaitAnswer(limit, other);
        CountDownLatch held = proxy.holdReplies();
        CompletableFuture<Decision> only = asked(limit, "alice");
        CompletableFuture<Decision> units =
                other.acquireUpToAsync(Acquisition.of(limit, "bob"), 7).toCompletableFuture();
        assertThat(List.of(only, units)).allSatisfy(LateReplyTest::assertFails);

        held.countDown();

        Awaitility.await().until(() -> remaining(limit, "alice") == 100);
        Awaitility.await().until(() -> remaining(limit, "bob") == 100);
    }

    /**
     * In real time: the silences take five timeouts, and the first reply is awaited for ten. {@link LateRefundsTest} chooses
     * the silences itself.
     */
    @Test
    @Tag("alone")
    void whatIsAnsweredWhileCallsArePausedIsGivenBackAfterThePause() {
        Limit limit = Limit.of("paused", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        connect(LONG);
        awaitAnswer(limit);
        CountDownLatch held = proxy.holdReplies();
        Awaitility.await("enough silences to pause calls").until(() -> {
            assertFails(asked(limit, "alice"));
            return redis.limiter().breakers().containsValue(BreakerState.OPEN);
        });

        held.countDown();

        Awaitility.await().until(() -> remaining(limit, "alice") == 100);
    }

    @Test
    void closingWaitsForCallsInFlightAndFailsLaterOnes() {
        Limit limit = Limit.of("closed", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        connect(PATIENT);
        awaitAnswer(limit);
        CountDownLatch held = proxy.holdReplies();
        CompletableFuture<Decision> inFlight = asked(limit, "alice");
        CompletableFuture<Void> closing = CompletableFuture.runAsync(redis.limiter()::close);
        Awaitility.await().until(() -> asked(limit, "bob").isCompletedExceptionally());
        assertThat(closing).isNotDone();

        held.countDown();

        assertThat(inFlight).succeedsWithin(1, TimeUnit.MINUTES).matches(Decision::allowed);
        assertThat(closing).succeedsWithin(1, TimeUnit.MINUTES);
        assertThat(asked(limit, "carol"))
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("closed");
    }

    @Test
    void closingFailsCallsThatRedisDoesNotAnswerInTime() {
        Limit limit = Limit.of("silent", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        connect(SHORT);
        awaitAnswer(limit);
        CountDownLatch held = proxy.holdReplies();
        CompletableFuture<Decision> inFlight = asked(limit, "alice");

        redis.limiter().close();

        assertFails(inFlight);
        held.countDown();
    }

    @Test
    void whoBlocksWhenToldThatItFailedHoldsUpNobody() {
        Limit limit = Limit.of("blocks", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        connect(SHORT);
        awaitAnswer(limit);
        CountDownLatch held = proxy.holdReplies();

        CompletableFuture<Decision> again =
                asked(limit, "alice").exceptionally(failed -> redis.limiter().acquire(Acquisition.of(limit, "alice")));

        assertFails(again);
        assertFails(asked(limit, "bob"));
        held.countDown();
    }

    private CompletableFuture<Decision> asked(Limit limit, String subject) {
        return redis.limiter().acquireAsync(Acquisition.of(limit, subject)).toCompletableFuture();
    }

    private static void assertFails(CompletableFuture<Decision> call) {
        assertThat(call).failsWithin(1, TimeUnit.MINUTES).withThrowableOfType(ExecutionException.class);
    }

    private long remaining(Limit limit, String subject) {
        return patient.peek(Acquisition.of(limit, subject)).remaining();
    }

    /**
     * Lets replies through, as they come, until that is charged, and returns what holds the last. A reply that came before the
     * charge is none to it.
     */
    private CountDownLatch holdsUntilCharged(Limit limit, String subject, int before, CountDownLatch first) {
        CountDownLatch held = first;
        for (int seen = before; ; seen++) {
            int passed = seen;
            Awaitility.await().until(() -> isCharged(limit, subject) || proxy.came() > passed);
            if (isCharged(limit, subject)) {
                return held;
            }
            CountDownLatch next = proxy.holdReplies();
            held.countDown();
            held = next;
        }
    }

    /** Asks the server itself, because the proxy holds the replies. */
    private boolean isCharged(Limit limit, String subject) {
        String key = new StateKeyFormat(redis.prefix).key(new Charge(limit, subject, 1));
        return server.ask(direct -> direct.exists(key)) == 1;
    }

    private void awaitAnswer(Limit limit) {
        awaitAnswer(limit, redis.limiter());
        awaitAnswer(limit, patient);
    }

    private static void awaitAnswer(Limit limit, RateLimiter limiter) {
        Awaitility.await()
                .ignoreExceptions()
                .until(() -> limiter.peek(Acquisition.of(limit, "warm-up")).remaining() == 100);
    }
}
