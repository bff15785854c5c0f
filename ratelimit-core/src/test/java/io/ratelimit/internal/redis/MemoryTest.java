package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a subject costs in Redis' memory. */
@ExtendWith(NoThreadsLeft.class)
class MemoryTest {

    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn();

    @AfterEach
    void close() {
        redis.close();
    }

    @ParameterizedTest
    @CsvSource({"TOKEN_BUCKET, 104, 116", "SLIDING_WINDOW_COUNTER, 104, 111", "FIXED_WINDOW, 104, 105"})
    void aSubjectFitsAHundredBytesWhateverItsLimit(Algorithm algorithm, long mostByJemalloc, long mostByLibc) {
        redis.setClock(at("12:00:00"));
        Limit limit = Limit.of("l", algorithm, 1_000_000, Duration.ofDays(1));
        redis.limiter().acquire(Acquisition.of(limit, "alice", 300_000));
        redis.limiter().acquire(Acquisition.of(limit, "alice", 300_000));
        String ofThirtyBytes = "k".repeat(30);

        redis.redis().rename(key(limit), ofThirtyBytes);
        Long bytes = redis.redis().memoryUsage(ofThirtyBytes);
        redis.redis().del(ofThirtyBytes);

        // a server that was built without jemalloc, as the bundled one is, rounds up otherwise
        boolean jemalloc = redis.redis().info("memory").contains("mem_allocator:jemalloc");
        assertThat(bytes).isLessThanOrEqualTo(jemalloc ? mostByJemalloc : mostByLibc);
    }

    @Test
    void anEntryOfAFullLogTakesAtMostSixteenBytes() {
        Limit limit = Limit.of("l", Algorithm.SLIDING_WINDOW_LOG, 1_000, Duration.ofDays(1));
        for (int i = 0; i < 1_000; i++) {
            redis.setClock(at("12:00:00") + i * 12_345L);
            redis.limiter().acquire(Acquisition.of(limit, "alice"));
        }

        assertThat(redis.limiter().peek(Acquisition.of(limit, "alice")).remaining())
                .isZero();
        assertThat(redis.redis().memoryUsage(key(limit))).isLessThanOrEqualTo(16_000);
    }

    /** As docs/algorithms.md says. */
    @ParameterizedTest
    @CsvSource({"1000000, 122", "5, 98"})
    void aLogHasRoomForTheNextEntriesButNotForMoreThanTheLimit(long max, long fifth) {
        Limit limit = Limit.of("l", Algorithm.SLIDING_WINDOW_LOG, max, Duration.ofDays(1));
        List<Long> bytes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            redis.setClock(at("12:00:00") + i * 12_345L);
            redis.limiter().acquire(Acquisition.of(limit, "alice"));
            bytes.add(redis.redis().strlen(key(limit)));
        }

        assertThat(bytes).containsExactly(62L, 62L, 86L, 86L, fifth);
    }

    @ParameterizedTest
    @CsvSource({"2, 38", "60, 386", "3600, 21626"})
    void aPartOfAWindowTakesSixBytes(int buckets, long bytes) {
        Limit limit = Limit.of("l", Algorithm.SLIDING_WINDOW_COUNTER, 1_000_000, Duration.ofDays(1))
                .withBuckets(buckets);
        for (int i = 0; i < 100; i++) {
            redis.setClock(at("12:00:00") + i * 3_000_000_000L);
            redis.limiter().acquire(Acquisition.of(limit, "alice", 300));
            assertThat(redis.redis().strlen(key(limit))).isEqualTo(bytes);
        }
    }

    @Test
    void anApproximateCountTakesTwelveKilobytesWhateverItCounts() {
        Limit limit = Limit.of("l", Algorithm.APPROXIMATE_UNIQUE_COUNT, 1_000_000, Duration.ofDays(1));
        redis.setClock(at("12:00:00"));
        for (int i = 0; i < 1_000; i++) {
            redis.limiter().acquire(Acquisition.of(limit, "alice", "visitor " + i));
            assertThat(redis.redis().strlen(key(limit))).isEqualTo(12_317);
        }
        assertThat(redis.redis().memoryUsage(key(limit))).isLessThan(15_000);
    }

    @Test
    @Tag("slow")
    void aMillionElementsAreEstimatedInTwelveKilobytes() {
        Limit limit = Limit.of("l", Algorithm.APPROXIMATE_UNIQUE_COUNT, 2_000_000, Duration.ofDays(1));
        redis.setClock(at("12:00:00"));
        for (int i = 0; i < 1_000_000; i += 500) {
            List<CompletionStage<Decision>> decisions = new ArrayList<>();
            for (int j = i; j < i + 500; j++) {
                decisions.add(redis.limiter().acquireAsync(Acquisition.of(limit, "alice", "visitor " + j)));
            }
            decisions.forEach(decision ->
                    assertThat(decision.toCompletableFuture().join().allowed()).isTrue());
        }

        Long bytes = redis.redis().memoryUsage(key(limit));
        long counted = 2_000_000
                - redis.limiter().peek(Acquisition.of(limit, "alice", "nobody")).remaining();
        System.out.printf(
                Locale.ROOT,
                "%,d of 1,000,000 elements, an error of %+.2f%%, in %,d bytes%n",
                counted,
                counted / 1e4 - 100,
                bytes);
        assertThat(bytes).isLessThan(15_000);
        assertThat(counted).isBetween(980_500L, 1_019_500L);
    }

    @Test
    void aCallOfCostAHundredIsOneEntryOfTheLog() {
        Limit limit = Limit.of("l", Algorithm.SLIDING_WINDOW_LOG, 1_000, Duration.ofDays(1));
        redis.setClock(at("12:00:00"));
        redis.limiter().acquire(Acquisition.of(limit, "alice", 100));
        assertThat(redis.redis().strlen(key(limit))).isLessThan(100);
    }

    @Test
    void anEntryOfAGrowingLogTakesAtMostTwentyBytes() {
        Limit limit = Limit.of("l", Algorithm.SLIDING_WINDOW_LOG, 1_000_000, Duration.ofDays(1));
        for (int i = 1; i <= 3_000; i++) {
            redis.setClock(at("12:00:00") + i * 12_345L);
            redis.limiter().acquire(Acquisition.of(limit, "alice"));
            if (i > 1_000 && i % 10 == 0) {
                assertThat(redis.redis().memoryUsage(key(limit))).isLessThanOrEqualTo(20L * i);
            }
        }
    }

    @Test
    void aLogShrinksWhenEntriesHaveLeft() {
        Limit limit = Limit.of("l", Algorithm.SLIDING_WINDOW_LOG, 1_000, Duration.ofMinutes(1));
        for (int i = 0; i < 1_000; i++) {
            redis.setClock(at("12:00:00") + i);
            redis.limiter().acquire(Acquisition.of(limit, "alice"));
        }
        redis.setClock(at("12:01:01"));
        redis.limiter().acquire(Acquisition.of(limit, "alice"));

        assertThat(redis.redis().strlen(key(limit))).isLessThan(100);
        assertThat(redis.limiter().peek(Acquisition.of(limit, "alice")).remaining())
                .isEqualTo(999);
    }

    @Test
    void entriesThatHaveLeftTheWindowDoNotPileUp() {
        Limit limit = Limit.of("l", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(1));
        for (int i = 0; i < 100; i++) {
            redis.setClock(at("12:00:00") + i * 15_000_000L);
            redis.limiter().acquire(Acquisition.of(limit, "alice"));
        }

        assertThat(redis.redis().strlen(key(limit))).isLessThan(100);
    }

    private String key(Limit limit) {
        return new StateKeyFormat(redis.prefix).key(limit, "alice");
    }
}
