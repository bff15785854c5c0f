package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.internal.Micros;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.AdmittedHistory;
import io.ratelimit.testing.AdmittedHistory.Admission;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.SharedThreads;
import io.ratelimit.testing.TestRedis;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls that wait in a stack, in real time. */
@ExtendWith(NoThreadsLeft.class)
class WaitingStackTest {

    private static final Acquisition ONE_AN_HOUR =
            Acquisition.of(Limit.of("hourly", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(300)), "alice");
    private static final Acquisition ONE =
            Acquisition.of(Limit.of("one", Algorithm.TOKEN_BUCKET, 1, Duration.ofMillis(50)), "alice");
    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void listenersHearOneDecisionOfACallThatWaits() {
        List<Boolean> heard = new CopyOnWriteArrayList<>();
        try (RateLimiterStack stack = RateLimiterStack.inMemory()
                .listener((acquisition, decision) -> heard.add(decision.allowed()))
                .build()) {
            stack.acquire(ONE, LONG);
            stack.acquire(ONE, LONG);
            stack.acquireAsync(ONE, LONG).toCompletableFuture().join();
            assertThat(heard).containsExactly(true, true, true);
        }
    }

    @Test
    void aCallIsCancelledThroughAllLayersAndListenersHearNothingOfIt() {
        List<Object> heard = new CopyOnWriteArrayList<>();
        try (RateLimiterStack stack = RateLimiterStack.inMemory()
                .listener((acquisition, decision) -> heard.add(decision))
                .build()) {
            CompletableFuture<Decision> first = stack.acquireAsync(slot(), LONG).toCompletableFuture();
            CompletableFuture<Decision> waiting =
                    stack.acquireAsync(slot(), LONG).toCompletableFuture();
            assertThat(first.join().allowed()).isTrue();
            assertThat(stack.state().waiting()).isEqualTo(1);

            waiting.cancel(true);

            assertThat(stack.state().waiting()).isZero();
            assertThat(waiting.isCancelled()).isTrue();
            assertThat(heard).hasSize(1);
        }
    }

    @Test
    void withReportOnlyNothingWaits() {
        try (RateLimiterStack stack =
                RateLimiterStack.inMemory().reportOnly(true).build()) {
            stack.acquire(ONE_AN_HOUR, LONG);
            stack.acquire(slot(), LONG);

            assertThat(stack.acquire(ONE_AN_HOUR, LONG).allowed()).isTrue();
            assertThat(stack.acquire(slot(), LONG).allowed()).isTrue();
            assertThat(stack.acquireAsync(slot(), LONG)).isCompleted();
        }
    }

    @Test
    void manyThreadsOfTwoInstancesWaitAndTheLimitIsKept() {
        Limit limit = Limit.of("ten", Algorithm.SLIDING_WINDOW_LOG, 10, Duration.ofMillis(100));
        Acquisition call = Acquisition.of(limit, UUID.randomUUID().toString());
        RedisClient client =
                RedisClient.create(SharedThreads.ofLimiters(), Leftovers.named(RedisURI.create(TestRedis.uri())));
        try (RateLimiterStack one = on(client);
                RateLimiterStack other = on(client)) {
            List<Admission> admissions =
                    Threads.run(8, thread -> () -> admissions(thread % 2 == 0 ? one : other, call, 15)).stream()
                            .flatMap(List::stream)
                            .toList();

            assertThat(admissions).hasSize(8 * 15);
            assertThat(AdmittedHistory.of(admissions).mostUsed(limit.algorithm(), limit.quota()))
                    .isLessThanOrEqualTo(limit.capacity());
            assertThat(one.state().waiting()).isZero();
        } finally {
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }
    }

    @Test
    void aStackThatIsClosedAdmitsNobodyThatWaits() {
        Limit banning = Limit.of("banning", Algorithm.FIXED_WINDOW, 9, Duration.ofDays(300))
                .withBan(100, Duration.ofMinutes(1), Duration.ofMinutes(1));
        Limit slots = Limit.of("slots", Algorithm.CONCURRENCY, 1, Duration.ofDays(1));
        String subject = UUID.randomUUID().toString();
        Acquisition call = Acquisition.of(banning, subject).and(slots, subject);
        RedisClient client =
                RedisClient.create(SharedThreads.ofLimiters(), Leftovers.named(RedisURI.create(TestRedis.uri())));
        RateLimiterStack stack = on(client, FailurePolicy.LOCAL);
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        try {
            stack.acquire(call);
            for (int i = 0; i < 5; i++) {
                waiting.add(stack.acquireAsync(call, LONG).toCompletableFuture());
            }
            await().until(() -> stack.state().waiting() == 5);
        } finally {
            stack.close();
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }

        assertThat(waiting)
                .allSatisfy(refused -> assertThat(refused.join().allowed()).isFalse());
    }

    @Test
    void ofManyCallsThatGiveUpNoSlotIsLost() {
        Limit twenty = Limit.of("twenty", Algorithm.CONCURRENCY, 20, Duration.ofDays(1));
        try (RateLimiterStack stack = RateLimiterStack.inMemory().build()) {
            Threads.run(8, thread -> () -> {
                SeededRandom random = SeededRandom.of("giving up " + thread);
                for (int i = 0; i < 100; i++) {
                    callSome(stack, Acquisition.of(twenty, "alice", random.between(1, 3)), random);
                }
                return thread;
            });

            assertThat(stack.state().waiting()).isZero();
            await().until(() -> stack.peek(Acquisition.of(twenty, "alice")).remaining(), remaining -> remaining == 20);
        }
    }

    private static void callSome(RateLimiterStack stack, Acquisition call, SeededRandom random) {
        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            decisions.add(stack.acquireAsync(call, LONG).toCompletableFuture());
        }
        decisions.forEach(decision -> {
            if (!random.oneIn(4) || !decision.cancel(true)) {
                stack.release(call, decision.join());
            }
        });
    }

    /** A layer of the application's own. */
    private static Acquisition slot() {
        return Acquisition.of(Limit.of("slot", Algorithm.CONCURRENCY, 1, Duration.ofDays(1)), "alice");
    }

    private static RateLimiterStack on(RedisClient client) {
        return on(client, FailurePolicy.CLOSED);
    }

    private static RateLimiterStack on(RedisClient client, FailurePolicy policy) {
        return RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .keyPrefix("test-waiting")
                .timeout(Duration.ofMinutes(1))
                .onStoreFailure(policy)
                .build();
    }

    private static List<Admission> admissions(RateLimiterStack limiter, Acquisition call, int calls) {
        List<Admission> admissions = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            Decision decision = limiter.acquire(call, LONG);
            if (decision.allowed()) {
                admissions.add(new Admission(Micros.of(decision.decidedAt()), 1));
            }
        }
        return admissions;
    }
}
