package io.ratelimit.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.ForwardingRateLimiter;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.TestTime;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever instances lease at the same time, all of them together admit no more than the limit. */
class LeasesTogetherTest {

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void manyThreadsOnManyInstancesAreAdmittedNoMoreThanTheLimit(Algorithm algorithm) {
        Limit limit = Limit.of("hot", algorithm, 10_000, Duration.ofHours(1)).withLease(64);
        ManualTime time = new ManualTime(TestTime.at("12:00:00"));
        RateLimiter store = InMemoryRateLimiter.create(100, time.clock());
        List<LeasingRateLimiter> instances = Stream.generate(
                        () -> new LeasingRateLimiter(store, time::nanos, time.scheduler(), Runnable::run, 100))
                .limit(3)
                .toList();

        List<Long> admitted = Threads.run(
                16,
                thread -> () -> IntStream.range(0, 1_000)
                        .filter(i -> instances
                                .get(thread % 3)
                                .acquire(Acquisition.of(limit, "eve", 1 + i % 3))
                                .allowed())
                        .mapToLong(i -> 1 + i % 3)
                        .sum());
        instances.forEach(LeasingRateLimiter::close);

        long total = admitted.stream().mapToLong(Long::longValue).sum();
        assertThat(total).isBetween(10_000L - 3 * 64, 10_000L);
        assertThat(store.peek(Acquisition.of(limit, "eve")).remaining()).isEqualTo(10_000 - total);
    }

    /** The time stands still, so no lease ends because it is old. */
    @Test
    void whatIsChargedWhenAnInstanceHasClosedDuringCallsIsWhatWasAdmitted() {
        for (int round = 0; round < 200; round++) {
            Limit limit = Limit.of("hot", Algorithm.FIXED_WINDOW, 10_000, Duration.ofHours(1))
                    .withLease(10);
            ManualTime time = new ManualTime(TestTime.at("12:00:00"));
            RateLimiter store = InMemoryRateLimiter.create(100, time.clock());
            LeasingRateLimiter instance = new LeasingRateLimiter(
                    onOtherThreads(store), time::nanos, time.scheduler(), Runnable::run, 100, Duration.ofHours(1));

            List<Long> admitted = Threads.run(
                    4,
                    thread -> () -> thread == 0
                            ? closed(instance)
                            : IntStream.range(0, 20)
                                    .mapToLong(i -> 1 + i % 3)
                                    .filter(cost -> instance.acquire(Acquisition.of(limit, "eve", cost))
                                            .allowed())
                                    .sum());

            long total = admitted.stream().mapToLong(Long::longValue).sum();
            assertThat(store.peek(Acquisition.of(limit, "eve")).remaining()).isEqualTo(10_000 - total);
        }
    }

    private static long closed(LeasingRateLimiter instance) {
        instance.close();
        return 0;
    }

    private static RateLimiter onOtherThreads(RateLimiter store) {
        return new ForwardingRateLimiter(store) {
            @Override
            public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
                return CompletableFuture.supplyAsync(() -> limiter.acquire(acquisition));
            }

            @Override
            public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
                return CompletableFuture.runAsync(() -> limiter.settle(acquisition, decision, actual));
            }
        };
    }
}
