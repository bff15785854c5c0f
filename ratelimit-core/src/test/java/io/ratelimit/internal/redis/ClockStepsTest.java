package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.Micros;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Redis' clock is set back and forward by ten seconds: nothing extra is admitted, and no subject is locked out. */
@ExtendWith(NoThreadsLeft.class)
class ClockStepsTest {

    private static final Logger LOG = LoggerFactory.getLogger(ClockStepsTest.class);
    private static final long NOON = at("12:00:00");
    private static final long STEP = 10 * SECOND;

    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn();

    @AfterEach
    void close() {
        redis.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void stepsBackAndForwardAdmitNothingExtra(Algorithm algorithm) {
        Acquisition one = one(algorithm);
        assertThat(admittedAt(NOON, one)).isEqualTo(5);

        long extra = admittedAt(NOON - STEP, one);
        long later = admittedAt(NOON + STEP, one) + admittedAt(NOON, one);

        LOG.info("{}: clock 10 s back and forward, admitted {} extra", algorithm.label(), extra + later);
        assertThat(extra).isZero();
        // from the first step on, 20 s went by as far as a bucket can know: one token of 12 s
        assertThat(later).isEqualTo(algorithm == Algorithm.TOKEN_BUCKET ? 1 : 0);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aStepLocksNobodyOutForLongerThanTheWindow(Algorithm algorithm) {
        Acquisition one = one(algorithm);
        assertThat(admittedAt(NOON + 100 * STEP, one)).isEqualTo(5);
        redis.setClock(NOON);
        long retryAfter = freeAfter(redis.limiter().acquire(one));

        LOG.info(
                "{}: clock 1,000 s back, locked out for {} ms of a window of 60 s",
                algorithm.label(),
                retryAfter / 1_000);
        assertThat(retryAfter).isPositive().isLessThanOrEqualTo(MINUTE);
        assertThat(admittedAt(NOON + retryAfter - 1, one)).isZero();
        assertThat(admittedAt(NOON + retryAfter, one)).isPositive();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    void aCallBeforeAStepThatNoLongerCountsGetsNothingBack(Algorithm algorithm) {
        getsNothingBack(Limit.of("five", algorithm, 5, Duration.ofMinutes(1)));
    }

    @Test
    void aCallBeforeAStepThatNoLongerCountsInPartsGetsNothingBack() {
        getsNothingBack(Limit.of("five", Algorithm.SLIDING_WINDOW_COUNTER, 5, Duration.ofMinutes(1))
                .withBuckets(2));
    }

    private void getsNothingBack(Limit limit) {
        Acquisition five = Acquisition.of(limit, "alice", 5);
        Decision before = acquireAt(NOON + 3 * MINUTE, five);
        assertThat(acquireAt(NOON, five).allowed()).isFalse();
        assertThat(acquireAt(NOON + 2 * MINUTE, five).allowed()).isTrue();

        redis.limiter().refund(five, before);

        assertThat(redis.limiter().peek(five).remaining()).isZero();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void countsThatAreOverWhenABlockBeginsCountAgainAfterAStep(Algorithm algorithm) {
        Acquisition one = one(algorithm);
        assertThat(admittedAt(NOON, one)).isEqualTo(5);
        redis.setClock(NOON + 2 * MINUTE);
        redis.limiter().block(one.charges().get(0).limit(), "alice", Duration.ofSeconds(30));

        redis.setClock(NOON);
        LimitStatus status = redis.limiter().peek(one).limits().get(0);

        assertThat(status.blocked()).isTrue();
        assertThat(status.resetAfter()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aStepIsNotedByARefusalAndByAPeek(Algorithm algorithm) {
        Acquisition one = one(algorithm);
        assertThat(admittedAt(NOON + 100 * STEP, one)).isEqualTo(5);

        redis.setClock(NOON);
        Decision peeked = redis.limiter().peek(one);
        redis.setClock(NOON + MINUTE / 2);
        Decision refused = redis.limiter().peek(one);
        redis.setClock(NOON + freeAfter(peeked));

        assertThat(refused.retryAfter()).isLessThanOrEqualTo(peeked.retryAfter());
        assertThat(redis.limiter().acquire(one).allowed()).isTrue();
    }

    /** Beyond the window: within it Redis, whose keys expire by the clock that stepped, needs no other TTL. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aKeyLivesAsLongAsItMattersAfterAStep(Algorithm algorithm) {
        Acquisition one = Acquisition.of(Limit.of("hourly", algorithm, 5, Duration.ofHours(1)), "alice");
        long minuteToTheHour = NOON + 59 * MINUTE; // which the test has in real time before the key is forgotten
        for (long step : new long[] {60 * MINUTE, 20 * 60 * MINUTE}) {
            redis.limiter().reset(one.charges().get(0).limit(), "alice");
            long startNanos = System.nanoTime();
            assertThat(admittedAt(minuteToTheHour, one)).isEqualTo(5);
            redis.setClock(minuteToTheHour - step);
            assertThat(redis.limiter().acquire(one).allowed()).isFalse();

            long matters =
                    redis.limiter().peek(one).limits().get(0).resetAfter().toMillis();
            Long lives = redis.redis()
                    .pttl(new StateKeyFormat(redis.prefix).key(one.charges().get(0)));
            long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
            assertThat(lives + passed).isGreaterThan(matters);
        }
    }

    /** The clock steps back by three minutes of a window of four while real time goes on, by which Redis forgets keys. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void noKeyExpiresEarlyAfterAStep(Algorithm algorithm) {
        Acquisition four = Acquisition.of(Limit.of("four", algorithm, 10, Duration.ofMinutes(4)), "alice", 10);
        redis.setClock(NOON);
        long startNanos = System.nanoTime();
        assertThat(redis.limiter().acquire(four).allowed()).isTrue();
        long retryAfter = freeAfter(acquireAt(NOON - 3 * MINUTE, four));

        long lives = 1_000
                * redis.redis()
                        .pttl(new StateKeyFormat(redis.prefix)
                                .key(four.charges().get(0)));
        long passed = (System.nanoTime() - startNanos) / 1_000;

        assertThat(retryAfter).isPositive();
        assertThat(passed + lives).isGreaterThanOrEqualTo(retryAfter);
        assertThat(acquireAt(NOON - 3 * MINUTE + retryAfter - 1, four).allowed())
                .isFalse();
        assertThat(acquireAt(NOON - 3 * MINUTE + retryAfter, four).allowed()).isTrue();
    }

    /** The same in real time: a test that stands still for longer than the key's spare second would find it expired. */
    @Test
    @Tag("alone")
    void noCallIsAdmittedEarlyAfterAStepInRealTime() {
        List<Acquisition> all = Algorithms.ofCosts().stream()
                .map(algorithm -> Acquisition.of(Limit.of("four", algorithm, 10, Duration.ofSeconds(4)), "alice", 10))
                .toList();
        redis.setClock(NOON);
        long startNanos = System.nanoTime();
        assertThat(all).allMatch(four -> redis.limiter().acquire(four).allowed());
        redis.setClock(NOON - 3 * SECOND);
        Map<Acquisition, Long> retryAfter = all.stream()
                .collect(Collectors.toMap(
                        Function.identity(), four -> freeAfter(redis.limiter().acquire(four))));

        Awaitility.await().pollInterval(Duration.ofMillis(50)).until(() -> {
            retryAfter.forEach((four, after) -> {
                long passed = microsSince(startNanos);
                if (passed < after) { // later its key may expire, however long others are refused
                    assertThat(acquireAt(NOON - 3 * SECOND + passed, four).allowed())
                            .isFalse();
                }
            });
            return microsSince(startNanos) >= Collections.max(retryAfter.values());
        });
        retryAfter.forEach((four, after) ->
                assertThat(acquireAt(NOON - 3 * SECOND + after, four).allowed()).isTrue());
    }

    private static long microsSince(long startNanos) {
        return (System.nanoTime() - startNanos) / 1_000;
    }

    /** Calls in flight may end at any moment: if none does, they are forgotten at the reset. */
    private static long freeAfter(Decision refused) {
        LimitStatus status = refused.limits().get(0);
        return Micros.of(status.limit().algorithm().isReleased() ? status.resetAfter() : status.retryAfter());
    }

    private Decision acquireAt(long micros, Acquisition acquisition) {
        redis.setClock(micros);
        return redis.limiter().acquire(acquisition);
    }

    private long admittedAt(long micros, Acquisition one) {
        redis.setClock(micros);
        return IntStream.range(0, 20)
                .filter(i -> redis.limiter().acquire(one).allowed())
                .count();
    }

    private static Acquisition one(Algorithm algorithm) {
        return Acquisition.of(Limit.of("five", algorithm, 5, Duration.ofMinutes(1)), "alice");
    }
}
