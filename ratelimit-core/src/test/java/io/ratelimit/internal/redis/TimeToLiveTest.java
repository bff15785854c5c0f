package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every key lives as long as it matters, and at most a second longer; a key without a TTL would lock its subject out. */
@ExtendWith(NoThreadsLeft.class)
class TimeToLiveTest {

    /** What Redis answers about a key that lives for ever. */
    private static final long WITHOUT = -1;

    /** What Redis answers about a key that is not there. */
    private static final long GONE = -2;

    private final RedisUnderTest redis = RedisUnderTest.withRedisTime();

    private long slowestWriteMillis;

    @AfterEach
    void close() {
        redis.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aKeyLivesAsLongAsItMattersAfterEveryKindOfOperation(Algorithm algorithm) {
        livesAfterEveryKindOfOperation(limit(algorithm, Duration.ofHours(1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 60, 3_600})
    void aKeyOfAWindowInPartsLivesAsLongAsItMatters(int buckets) {
        livesAfterEveryKindOfOperation(
                limit(Algorithm.SLIDING_WINDOW_COUNTER, Duration.ofHours(1)).withBuckets(buckets));
    }

    private void livesAfterEveryKindOfOperation(Limit limit) {
        Acquisition two = Acquisition.of(limit, "alice", 2);

        Decision first = writes(() -> redis.limiter().acquire(two));
        assertLivesAsLongAsItMatters(two);
        writes(() -> redis.limiter().acquire(two));
        assertLivesAsLongAsItMatters(two);
        writes(() -> redis.limiter().acquire(two));
        assertLivesAsLongAsItMatters(two);
        writes(() ->
                redis.limiter().refundAsync(two, first).toCompletableFuture().join());
        assertLivesAsLongAsItMatters(two);
        redis.limiter().peek(two);
        assertLivesAsLongAsItMatters(two);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aKeyLivesAsLongAsItMattersWhateverTheWindow(Algorithm algorithm) {
        for (Duration window : new Duration[] {
            Duration.ofMillis(1), Duration.ofMillis(800), Duration.ofSeconds(1), Duration.ofDays(366)
        }) {
            Acquisition one = Acquisition.of(limit(algorithm, window), "subject of " + window);
            writes(() -> redis.limiter().acquire(one));
            assertLivesAsLongAsItMatters(one);
        }
    }

    /** For a second and a half, in which the step to which times to live are rounded changes thrice. */
    @Test
    void aKeyLivesAsLongAsItMattersThoughItIsWrittenAgainAndAgain() {
        SeededRandom random = SeededRandom.of("again and again");
        List<Acquisition> all = Algorithms.ofCosts().stream()
                .map(algorithm -> Acquisition.of(Limit.of("often", algorithm, 1_000, Duration.ofSeconds(2)), "alice"))
                .toList();
        for (int i = 0; i < 150; i++) {
            for (Acquisition one : all) {
                writes(() -> redis.limiter().acquire(one));
                assertLivesAsLongAsItMatters(one);
            }
            LockSupport.parkNanos(random.between(0, 20_000_000));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void theKeyOfAChangedLimitLivesAsLongAsItMatters(Algorithm algorithm) {
        redis.limiter().acquire(Acquisition.of(limit(algorithm, Duration.ofDays(30)), "alice"));
        Acquisition shrunk = Acquisition.of(limit(algorithm, Duration.ofMinutes(1)), "alice");
        writes(() -> redis.limiter().acquire(shrunk));

        assertLivesAsLongAsItMatters(shrunk);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void nothingIsKeptOfASubjectWhoseCallsAreAllGivenBack(Algorithm algorithm) {
        Acquisition two = Acquisition.of(limit(algorithm, Duration.ofHours(1)), "alice", 2);
        Limit limit = two.charges().get(0).limit();
        Decision first = redis.limiter().acquire(two);
        redis.limiter().refund(two, first);

        if (algorithm == Algorithm.TOKEN_BUCKET) {
            assertThat(redis.limiter().peek(two).limits().get(0).resetAfter()).isLessThan(Duration.ofSeconds(10));
        } else {
            assertThat(redis.redis().exists(key(two))).isZero();
        }
        redis.limiter().acquire(two);
        redis.limiter().reset(limit, "alice");
        assertThat(redis.redis().exists(key(two))).isZero();
    }

    @Test
    void theKeyOfTheLargestDebtLivesUntilThatIsRefilled() {
        Acquisition one = Acquisition.of(Limit.of("one", Algorithm.TOKEN_BUCKET, 1, Duration.ofDays(1)), "alice");
        Decision decision = redis.limiter().acquire(one);
        writes(() -> {
            redis.limiter().settle(one, decision, 5);
            return decision;
        });

        assertLivesAsLongAsItMatters(one);
    }

    @Test
    void noKeyIsWithoutATimeToLiveAfterRandomCalls() {
        SeededRandom random = SeededRandom.of("time to live");
        for (int i = 0; i < 1_000; i++) {
            Limit limit = limit(
                    random.oneOf(Algorithms.ofCosts().toArray(Algorithm[]::new)),
                    Duration.ofMinutes(random.ofAnySize(1, 500_000)));
            Acquisition some = Acquisition.of(limit, "subject " + random.between(1, 50), random.between(1, 5));
            Decision decision = redis.limiter().acquire(some);
            if (random.oneIn(3)) {
                redis.limiter().refund(some, decision);
            }
        }

        assertThat(redis.redis().keys(redis.prefix + "*"))
                .isNotEmpty()
                .allSatisfy(key -> assertThat(redis.redis().pttl(key))
                        .as(SeededRandom.seed())
                        .isNotEqualTo(WITHOUT)); // it may have expired meanwhile
    }

    /** Makes a call, and measures it: Redis may stand still between the time it reads and the time to live it sets from that. */
    private <T> T writes(Supplier<T> call) {
        long startNanos = System.nanoTime();
        T answer = call.get();
        slowestWriteMillis = Math.max(slowestWriteMillis, (System.nanoTime() - startNanos) / 1_000_000);
        return answer;
    }

    private void assertLivesAsLongAsItMatters(Acquisition acquisition) {
        long before =
                redis.limiter().peek(acquisition).limits().get(0).resetAfter().toMillis();
        long lives = redis.redis().pttl(key(acquisition));
        long after =
                redis.limiter().peek(acquisition).limits().get(0).resetAfter().toMillis();

        assertThat(lives == GONE ? 0 : lives).isBetween(after, before + 1_000 + slowestWriteMillis);
    }

    private String key(Acquisition acquisition) {
        return new StateKeyFormat(redis.prefix).key(acquisition.charges().get(0));
    }

    private static Limit limit(Algorithm algorithm, Duration window) {
        return Limit.of("five", algorithm, 5, window);
    }
}
