package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.StoreListener.RoundTrip;
import io.ratelimit.redis.BreakerState;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.SharedThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What metrics and health checks see of a stack. */
@ExtendWith(NoThreadsLeft.class)
class StackStateTest {

    private static final Limit ONE = Limit.of("one", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(300));
    private static final Limit LEASED = Limit.of("leased", Algorithm.TOKEN_BUCKET, 1_000, Duration.ofHours(1))
            .withLease(10);

    private final List<RoundTrip> roundTrips = new CopyOnWriteArrayList<>();

    @Test
    void subjectsInMemoryAreSummedOverAllLimits() {
        try (RateLimiterStack stack = RateLimiterStack.inMemory().build()) {
            stack.acquire(Acquisition.of(ONE, "alice").and(LEASED, "alice"));
            stack.acquire(Acquisition.of(ONE, "bob"));

            assertThat(stack.state().subjects()).isEqualTo(3);
            assertThat(stack.state().breakers()).isEmpty();
        }
    }

    @Test
    void leasesRefusalsAndBreakersAreThoseOfNow() {
        RedisProcess server = RedisProcess.start();
        RedisClient client =
                RedisClient.create(SharedThreads.ofLimiters(), Leftovers.named(RedisURI.create(server.uri())));
        try (RateLimiterStack stack = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .timeout(Duration.ofMinutes(1))
                .storeListener(roundTrips::add)
                .build()) {
            assertThat(stack.state().breakers()).as("nothing was asked yet").isEmpty();

            Awaitility.await().until(() -> {
                stack.acquire(Acquisition.of(LEASED, "alice"));
                return stack.state().leases() == 1; // it may have been given back after its second
            });
            assertThat(roundTrips).isNotEmpty();
            assertThat(stack.state().breakers()).hasSize(1).containsValue(BreakerState.CLOSED);

            stack.acquire(Acquisition.of(ONE, "alice"));
            Awaitility.await().until(() -> {
                stack.acquire(Acquisition.of(ONE, "alice"));
                return stack.state().refusals() == 1; // it may have been forgotten after its second
            });
        } finally {
            client.shutdown();
            server.close();
        }
    }

    @Test
    void aReplicaThatAnswersPeeksIsAnOutageUntilItChargesCallsAgain() {
        RedisProcess server = RedisProcess.start();
        RedisClient client =
                RedisClient.create(SharedThreads.ofLimiters(), Leftovers.named(RedisURI.create(server.uri())));
        try (RateLimiterStack stack = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .timeout(Duration.ofMinutes(1))
                .build()) {
            assertThat(stack.outage()).isEmpty();

            server.ask(redis -> redis.replicaof("127.0.0.1", 1));
            assertThat(stack.outage()).get().asString().contains("READONLY");
            assertThat(stack.peek(Acquisition.of(ONE, "alice")).remaining()).isEqualTo(1);

            server.ask(RedisCommands::replicaofNoOne);
            Awaitility.await().until(() -> stack.outage().isEmpty());

            server.ask(redis -> redis.configSet("maxmemory", "1"));
            assertThat(stack.outage()).get().asString().contains("OOM");

            server.ask(redis -> redis.configSet("maxmemory", "0"));
            Awaitility.await().until(() -> stack.outage().isEmpty());
        } finally {
            client.shutdown();
            server.close();
        }
    }

    @Test
    void inMemoryThereIsNoOutage() {
        try (RateLimiterStack stack = RateLimiterStack.inMemory().build()) {
            assertThat(stack.outage()).isEmpty();
        }
    }

    @Test
    void theBreakerOpensWhileRedisIsAwayAndCallsAreCountedHere() {
        RedisProcess server = RedisProcess.start();
        RedisClient client =
                RedisClient.create(SharedThreads.ofLimiters(), Leftovers.named(RedisURI.create(server.uri())));
        try (RateLimiterStack stack = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .timeout(Duration.ofMillis(20))
                .build()) {
            server.signal("STOP");
            Awaitility.await().until(() -> {
                stack.acquire(Acquisition.of(ONE, "alice"));
                return stack.state().breakers().containsValue(BreakerState.OPEN);
            });

            assertThat(stack.state().subjects()).isPositive();
        } finally {
            server.signal("CONT");
            client.shutdown();
            server.close();
        }
    }
}
