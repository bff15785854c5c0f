package io.ratelimit.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.shard.ShardingRateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several instances, leases over shards, random costs, settled calls and pauses: what is charged is what docs/leases.md says. */
class LeasesOnRandomSchedulesTest {

    private static final int INSTANCES = 3;

    private record Taken(long cost, long atMicros) {}

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"FIXED_WINDOW", "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER"})
    void chargesNoMoreThanTheLimitAndEndsWithJustWhatWasUsed(Algorithm algorithm) {
        SeededRandom.each("leases " + algorithm, 2_000, random -> {
            Limit limit = limit(random, algorithm, Duration.ofDays(1));
            ManualTime time = new ManualTime(TestTime.at("12:00:00"));
            RateLimiter store = InMemoryRateLimiter.create(100, time.clock());
            List<LeasingRateLimiter> instances = instances(store, time);
            long used = 0;
            for (int step = 0; step < 100; step++) {
                Acquisition call = call(random, limit);
                LeasingRateLimiter instance = instances.get((int) random.between(0, INSTANCES - 1));
                Decision decision = instance.acquire(call);
                long cost = call.charges().get(0).cost();
                if (decision.allowed() && random.oneIn(5)) {
                    time.passMicros(random.between(0, 1_500_000));
                    cost = random.between(0, cost);
                    instance.settle(call, decision, cost);
                }
                used += decision.allowed() ? cost : 0;
                time.passMicros(random.ofAnySize(1, 1_500_000));
                assertThat(used).isLessThanOrEqualTo(limit.maxRequests());
            }
            instances.forEach(LeasingRateLimiter::close);

            assertThat(new ShardingRateLimiter(store)
                            .peek(Acquisition.of(limit, "eve"))
                            .remaining())
                    .isEqualTo(limit.maxRequests() - used);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aWindowAdmitsNoMoreThanTheLimitAndALeaseForEachInstance(Algorithm algorithm) {
        SeededRandom.each("windows of leases " + algorithm, 500, random -> {
            Limit limit = limit(random, algorithm, Duration.ofSeconds(3));
            ManualTime time = new ManualTime(TestTime.at("12:00:00"));
            List<LeasingRateLimiter> instances = instances(InMemoryRateLimiter.create(100, time.clock()), time);
            List<Taken> taken = new ArrayList<>();
            for (int step = 0; step < 400; step++) {
                Acquisition call = call(random, limit);
                if (instances
                        .get((int) random.between(0, INSTANCES - 1))
                        .acquire(call)
                        .allowed()) {
                    taken.add(
                            new Taken(call.charges().get(0).cost(), time.clock().nowMicros()));
                }
                time.passMicros(random.ofAnySize(1, 400_000));
            }
            long most = mostOfTheLimitItself(algorithm, limit) + INSTANCES * limit.lease();
            for (Taken last : taken) {
                assertThat(within(taken, windowEndingWith(algorithm, limit, last), last.atMicros))
                        .isLessThanOrEqualTo(most);
            }
        });
    }

    /** In its own kind of window: of the clock, or any; the counter and the bucket promise less of any window. */
    private static long mostOfTheLimitItself(Algorithm algorithm, Limit limit) {
        return switch (algorithm) {
            case FIXED_WINDOW, SLIDING_WINDOW_LOG, CONCURRENCY, UNIQUE_COUNT, APPROXIMATE_UNIQUE_COUNT ->
                limit.maxRequests();
            case SLIDING_WINDOW_COUNTER, TOKEN_BUCKET -> 2 * limit.maxRequests();
        };
    }

    private static long windowEndingWith(Algorithm algorithm, Limit limit, Taken last) {
        long windowMicros = limit.quota().windowMicros();
        return algorithm == Algorithm.FIXED_WINDOW
                ? last.atMicros - last.atMicros % windowMicros
                : last.atMicros - windowMicros + 1;
    }

    private static long within(List<Taken> taken, long fromMicros, long toMicros) {
        return taken.stream()
                .filter(each -> each.atMicros >= fromMicros && each.atMicros <= toMicros)
                .mapToLong(Taken::cost)
                .sum();
    }

    private static Limit limit(SeededRandom random, Algorithm algorithm, Duration window) {
        long maxRequests = random.between(20, 200);
        int shards = (int) random.between(1, 3);
        return Limit.of("hot", algorithm, maxRequests, window)
                .withShards(shards)
                .withLease(random.between(2, maxRequests / shards / 2));
    }

    private static Acquisition call(SeededRandom random, Limit limit) {
        return Acquisition.of(limit, "eve", random.ofAnySize(1, Math.min(limit.largestCost(), limit.lease() + 2)));
    }

    private static List<LeasingRateLimiter> instances(RateLimiter store, ManualTime time) {
        return Stream.generate(() -> new LeasingRateLimiter(
                        new ShardingRateLimiter(store), time::nanos, time.scheduler(), Runnable::run, 100))
                .limit(INSTANCES)
                .toList();
    }
}
