package io.ratelimit.internal.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.TestTime;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShardingRateLimiterTest {

    private static final Limit LIMIT =
            hourly("hot", Algorithm.SLIDING_WINDOW_LOG, 10).withShards(4);
    private static final Limit PLAIN = hourly("plain", Algorithm.FIXED_WINDOW, 3);

    private final ManualTime time = new ManualTime(TestTime.at("12:00:00"));
    private final CountingRateLimiter store = new CountingRateLimiter(InMemoryRateLimiter.create(100, time.clock()));
    private final SeededRandom random = SeededRandom.of("shards");
    private final ShardingRateLimiter limiter =
            new ShardingRateLimiter(store, shards -> (int) random.between(0, shards - 1));
    private final ShardingRateLimiter fromTheFirst = new ShardingRateLimiter(store, shards -> 0);

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void admitsTheWholeQuotaAndNoMore(Algorithm algorithm) {
        for (int shards : List.of(2, 3, 7, 64)) {
            Limit limit = hourly("hot-" + shards, algorithm, 100).withShards(shards);
            assertThat(admitted(150, limit, 1)).isEqualTo(100);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void refusesADearerCallOnlyWhenNoShardHasAsMuch(Algorithm algorithm) {
        Limit limit = hourly("hot", algorithm, 100).withShards(4);

        long admitted = 7 * admitted(30, limit, 7);

        assertThat(admitted).isEqualTo(84); // three of 25 in each of four shards
        assertThat(admitted(30, limit, 1)).isEqualTo(16);
    }

    @Test
    void asksTheNextShardsUntilOneAdmits() {
        for (int i = 0; i < 3; i++) {
            assertThat(ask(fromTheFirst).limits().get(0).shard()).isZero();
        }
        assertThat(store.asked).hasValue(3);

        assertThat(ask(fromTheFirst).limits().get(0).shard()).isEqualTo(1);
        assertThat(store.asked).hasValue(5);
    }

    @Test
    void looksAheadAfterTheSecondRefusalAndTellsTheEarliestWait() {
        for (int i = 0; i < 10; i++) {
            ask(fromTheFirst);
            time.passSeconds(60);
        }
        int before = store.asked.get();

        Decision refused = ask(limiter);

        assertThat(refused.allowed()).isFalse();
        assertThat(store.asked.get() - before).isEqualTo(2);
        assertThat(refused.remaining()).isZero();
        assertThat(refused.limits().get(0).limit()).isEqualTo(LIMIT);
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(50));
        time.passMicros(refused.retryAfter().toNanos() / 1_000 - 1);
        assertThat(ask(limiter).allowed()).isFalse();
        time.passMicros(1);
        assertThat(ask(limiter).allowed()).isTrue();
    }

    /** Sixteen at a time, each for 3 ms, as those of which failures alone count and none fails. */
    @Test
    void aBucketBesideShardsIsGivenBackAllOfCallsThatOverlap() {
        Limit bucket = Limit.of("own", Algorithm.TOKEN_BUCKET, 100, Duration.ofSeconds(1));
        Limit everybody = hourly("everybody", Algorithm.FIXED_WINDOW, 1_000_000).withShards(4);
        Acquisition call = Acquisition.of(bucket, "eve").and(everybody, "all", 1);
        Deque<Decision> inFlight = new ArrayDeque<>();
        for (int i = 0; i < 16_000; i++) {
            if (inFlight.size() == 16) {
                limiter.settle(call, inFlight.remove(), 0);
            }
            Decision decision = limiter.acquire(call);
            assertThat(decision.allowed()).as("call %d", i).isTrue();
            inFlight.add(decision);
            time.passMicros(3_000 / 16);
        }
    }

    /** A walk from one to the next would take as many round trips as there are shards, and the timeout would decide. */
    @Test
    void refusesInFewStoreCallsHoweverManyShardsThereAre() {
        Limit limit = hourly("hot", Algorithm.FIXED_WINDOW, 64).withShards(64);
        assertThat(admitted(64, limit, 1)).isEqualTo(64);
        int before = store.asked.get() + store.peeked.get();

        assertThat(limiter.acquire(Acquisition.of(limit, "eve")).allowed()).isFalse();

        assertThat(store.asked.get() + store.peeked.get() - before).isEqualTo(2 + 3);
    }

    @Test
    void findsTheLastShardThatAdmitsInFewStoreCalls() {
        Limit limit = hourly("hot", Algorithm.FIXED_WINDOW, 64).withShards(64);
        assertThat(admitted(63, limit, 1)).isEqualTo(63);
        int before = store.asked.get() + store.peeked.get();

        Decision decision = limiter.acquire(Acquisition.of(limit, "eve"));

        assertThat(decision.allowed()).isTrue();
        assertThat(decision.remaining()).isZero();
        assertThat(store.asked.get() + store.peeked.get() - before).isBetween(1, 6);
    }

    @Test
    void onlyLooksAtTheOtherShardsWhileALimitWithABanRefuses() {
        Limit banning = hourly("login", Algorithm.FIXED_WINDOW, 1).withBan(3, Duration.ofHours(1), Duration.ofHours(2));
        Limit limit = hourly("hot", Algorithm.FIXED_WINDOW, 4).withShards(2);
        assertThat(fromTheFirst.acquire(Acquisition.of(limit, "eve", 2)).allowed())
                .isTrue();
        Acquisition both = Acquisition.of(banning, "eve").and(limit, "eve", 1);
        assertThat(fromTheFirst.acquire(both).allowed()).isTrue();

        for (int i = 0; i < 2; i++) {
            Decision refused = fromTheFirst.acquire(both);

            assertThat(refused.refusing())
                    .extracting(status -> status.limit().name())
                    .containsExactly("login");
            assertThat(refused.limits().get(1).remaining()).isEqualTo(1);
            assertThat(refused.limits().get(0).banned()).isFalse();
        }
        assertThat(fromTheFirst.acquire(both).limits().get(0).banned()).isTrue();
    }

    @Test
    void peeksAtAllShards() {
        for (int i = 9; i >= 0; i--) {
            assertThat(limiter.peek(Acquisition.of(LIMIT, "eve")).allowed()).isTrue();
            ask(limiter);
            assertThat(limiter.peek(Acquisition.of(LIMIT, "eve")).remaining()).isEqualTo(i);
        }
        assertThat(limiter.peek(Acquisition.of(LIMIT, "eve")).retryAfter()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void estimatesWhatRemainsByTheShardThatAdmitted() {
        assertThat(ask(fromTheFirst).remaining()).isEqualTo(8);
    }

    @Test
    void refundsTheShardThatWasCharged() {
        List<Decision> taken =
                IntStream.range(0, 10).mapToObj(i -> ask(limiter)).toList();
        taken.forEach(decision -> limiter.refund(Acquisition.of(LIMIT, "eve"), decision));

        assertThat(admitted(20, LIMIT, 1)).isEqualTo(10);
    }

    @Test
    void chargesAnUnderestimateToTheShardThatWasCharged() {
        Decision decision = ask(fromTheFirst);

        fromTheFirst.settle(Acquisition.of(LIMIT, "eve"), decision, 50);

        assertThat(limiter.peek(Acquisition.of(LIMIT, "eve")).remaining()).isEqualTo(7);
    }

    @Test
    void oneCallIsOneRefusalOfALimitWithABanBesideIt() {
        Limit banning =
                hourly("banning", Algorithm.FIXED_WINDOW, 1).withBan(2, Duration.ofHours(1), Duration.ofHours(5));
        admitted(10, LIMIT, 1);
        limiter.acquire(Acquisition.of(banning, "eve"));

        Decision refused = limiter.acquire(Acquisition.of(banning, "eve").and(LIMIT, "eve"));

        assertThat(refused.refusing()).hasSize(2);
        assertThat(limiter.peek(Acquisition.of(banning, "eve")).limits().get(0).banned())
                .isFalse();
        Decision banned = limiter.acquire(Acquisition.of(banning, "eve").and(LIMIT, "eve"));
        assertThat(banned.limits().get(0).banned()).isTrue();
    }

    @Test
    void aCapAboveTheLimitLowersNoShard() {
        limiter.cap(LIMIT, "eve", Long.MAX_VALUE, Duration.ofMinutes(1));

        assertThat(limiter.peek(Acquisition.of(LIMIT, "eve")).remaining()).isEqualTo(LIMIT.maxRequests());
    }

    @Test
    void aCapAdmitsAsMuchAsItSaysHoweverItDividesOverTheShards() {
        for (int shards : List.of(2, 3, 7, 64)) {
            for (int cap : List.of(1, 9, 63, 99, 100, 101)) {
                Limit limit =
                        hourly("hot-" + shards, Algorithm.FIXED_WINDOW, 100).withShards(shards);
                limiter.reset(limit, "eve");
                limiter.cap(limit, "eve", cap, Duration.ofMinutes(1));

                assertThat(limiter.peek(Acquisition.of(limit, "eve")).remaining())
                        .isEqualTo(Math.min(cap, 100));
                assertThat(admitted(150, limit, 1)).isEqualTo(Math.min(cap, 100));
            }
        }
    }

    @Test
    void blocksAllShards() {
        limiter.block(LIMIT, "eve", Duration.ofMinutes(1));

        Decision refused = limiter.acquire(Acquisition.of(LIMIT, "eve"));

        assertThat(refused.limits().get(0).blocked()).isTrue();
        assertThat(refused.retryAfter()).isBetween(Duration.ofSeconds(50), Duration.ofMinutes(1));
        assertThat(limiter.peek(Acquisition.of(LIMIT, "eve")).limits().get(0).blocked())
                .isTrue();
        limiter.reset(LIMIT, "eve");
        assertThat(admitted(20, LIMIT, 1)).isEqualTo(10);
    }

    @Test
    void resetsAllShards() {
        admitted(10, LIMIT, 1);

        limiter.reset(LIMIT, "eve");

        assertThat(admitted(20, LIMIT, 1)).isEqualTo(10);
    }

    @Test
    void aSubjectIsNotTheShardOfAnother() {
        admitted(10, LIMIT, 1);

        assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve#1")).allowed()).isTrue();
    }

    @Test
    void isAllOrNothingWithOtherLimits() {
        Limit other = hourly("other", Algorithm.FIXED_WINDOW, 5).withShards(5);
        Acquisition all = Acquisition.of(LIMIT, "eve").and(PLAIN, "eve").and(other, "acme");

        assertThat(IntStream.range(0, 10).filter(i -> limiter.acquire(all).allowed()))
                .hasSize(3);

        Decision refused = limiter.acquire(all);
        assertThat(refused.refusing())
                .singleElement()
                .satisfies(status -> assertThat(status.limit()).isEqualTo(PLAIN));
        assertThat(limiter.peek(Acquisition.of(LIMIT, "eve")).remaining()).isEqualTo(7);
        assertThat(limiter.peek(Acquisition.of(other, "acme")).remaining()).isEqualTo(2);
        assertThat(limiter.peek(all).allowed()).isFalse();
        assertThat(limiter.peek(all).limits()).hasSize(3);
    }

    @Test
    void findsTheOneShardOfEachLimitThatIsLeft() {
        Limit other = hourly("other", Algorithm.FIXED_WINDOW, 8).withShards(8);
        admitted(9, LIMIT, 1);
        admitted(7, other, 1);

        assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve").and(other, "eve"))
                        .allowed())
                .isTrue();
    }

    @Test
    void threadsAreAdmittedExactlyTheLimit() {
        Limit limit = hourly("many", Algorithm.TOKEN_BUCKET, 1_003).withShards(8);

        List<Long> admitted = Threads.run(16, thread -> () -> {
            ShardingRateLimiter own = new ShardingRateLimiter(store);
            return IntStream.range(0, 200)
                    .filter(i -> own.acquire(Acquisition.of(limit, "eve")).allowed())
                    .count();
        });

        assertThat(admitted.stream().mapToLong(Long::longValue).sum()).isEqualTo(1_003);
    }

    private Decision ask(ShardingRateLimiter sharding) {
        return sharding.acquire(Acquisition.of(LIMIT, "eve"));
    }

    private long admitted(int calls, Limit limit, long cost) {
        return IntStream.range(0, calls)
                .filter(i -> limiter.acquire(Acquisition.of(limit, "eve", cost)).allowed())
                .count();
    }

    private static Limit hourly(String name, Algorithm algorithm, long maxRequests) {
        return Limit.of(name, algorithm, maxRequests, Duration.ofHours(1));
    }
}
