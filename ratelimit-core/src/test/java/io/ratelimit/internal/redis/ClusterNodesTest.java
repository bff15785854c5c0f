package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.ConnectedCluster;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What concerns one master or one slot concerns no other. */
@ExtendWith(NoThreadsLeft.class)
class ClusterNodesTest {

    private static final Duration SHORT = Duration.ofMillis(100);

    /** The breaker of a node that was late pauses for less. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private static final Limit BURST = Limit.of("burst", Algorithm.TOKEN_BUCKET, 1_000_000, Duration.ofHours(1));
    private static final Limit HOURLY = Limit.of("hourly", Algorithm.FIXED_WINDOW, 1_000_000, Duration.ofHours(1));

    private static ConnectedCluster cluster;

    private final String prefix = "test-" + UUID.randomUUID();
    private final List<RedisRateLimiter> limiters = new ArrayList<>();
    private final Map<String, Long> lateNanos = new HashMap<>();
    private final AtomicInteger roundTrips = new AtomicInteger();

    @BeforeAll
    static void start() {
        cluster = new ConnectedCluster();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void goOn() {
        cluster.servers().masters().forEach(master -> master.signal("CONT"));
        cluster.servers().masters().forEach(cluster.servers()::awaitAllSlots);
        limiters.forEach(RedisRateLimiter::close);
    }

    @Test
    void aSilentMasterTakesNoDecisionFromTheOthers() {
        RedisRateLimiter limiter = limiter(SHORT);
        ConnectedCluster.SUBJECTS.forEach(subject -> awaitAnswer(limiter, subject));
        cluster.servers().masters().get(2).signal("STOP");
        CompletableFuture<Void> flood = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 20_000; i++) {
                limiter.acquireAsync(Acquisition.of(BURST, ConnectedCluster.SUBJECTS.get(2)));
            }
        });

        // less than the minute after which the Cluster itself stops answering because slots have no master
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
        long decided = 0;
        for (int i = 0; decided < 500 && System.nanoTime() < endNanos; i++) {
            decided += isDecidedUnlessItsMasterIsLate(limiter, ConnectedCluster.SUBJECTS.get(i % 2)) ? 1 : 0;
        }

        assertThat(decided).isEqualTo(500);
        assertThat(flood).succeedsWithin(1, TimeUnit.MINUTES);
    }

    /** The answer to a plain command comes after that to the call: so late, on a machine that stood still, it excuses a failure. */
    private boolean isDecidedUnlessItsMasterIsLate(RedisRateLimiter limiter, String subject) {
        long startNanos = System.nanoTime();
        CompletableFuture<Decision> call =
                limiter.acquireAsync(Acquisition.of(BURST, subject)).toCompletableFuture();
        Duration plain = cluster.connection()
                .async()
                .del("plain{" + subject + "}")
                .thenApply(deleted -> Duration.ofNanos(System.nanoTime() - startNanos))
                .toCompletableFuture()
                .join();
        if (plain.compareTo(SHORT) >= 0) {
            lateNanos.put(subject, System.nanoTime());
        }
        Long late = lateNanos.get(subject);
        boolean wasLate = late != null && System.nanoTime() - late < LONGEST_PAUSE.toNanos();
        boolean decided = call.handle((decision, failure) -> failure == null).join();
        assertThat(decided || wasLate)
                .as("failed, but its master answered a plain command within %s", plain)
                .isTrue();
        return decided;
    }

    @Test
    void callsOfASlotThatIsMovingAreRepeatedUntilItHasMoved() {
        String moving = "walter"; // nobody else's slot, 1,650
        RedisRateLimiter limiter = limiter(Duration.ofMinutes(1));
        Acquisition both = Acquisition.of(BURST, moving).and(HOURLY, moving);
        Limit third = Limit.of("third", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(300));
        assertThat(limiter.acquire(both).allowed()).isTrue();
        assertThat(limiter.acquire(Acquisition.of(third, moving)).allowed()).isTrue();
        int slot = SlotHash.getSlot(moving);
        RedisProcess from = cluster.servers().masters().get(0);
        RedisProcess to = cluster.servers().masters().get(1);
        String fromId = from.ask(redis -> redis.clusterMyId());
        String toId = to.ask(redis -> redis.clusterMyId());
        to.ask(redis -> redis.clusterSetSlotImporting(slot, fromId));
        from.ask(redis -> redis.clusterSetSlotMigrating(slot, toId));
        migrate(
                keysOfThisTest(slot, from).stream()
                        .filter(key -> key.contains(BURST.name()))
                        .toList(),
                from,
                to);

        limiter.reset(third, moving);
        assertThat(limiter.peek(Acquisition.of(third, moving)).remaining()).isEqualTo(1);
        CompletableFuture<Decision> decision = limiter.acquireAsync(both).toCompletableFuture();
        int before = roundTrips.get();
        Awaitility.await("some repetitions").until(() -> roundTrips.get() > before + 5);
        assertThat(decision).isNotDone();
        migrate(keys(slot, from), from, to);
        // the new node first, as Redis documents it: the other way round both send calls to each other for a moment
        to.ask(redis -> redis.clusterSetSlotNode(slot, toId));
        cluster.servers().masters().forEach(master -> master.ask(redis -> redis.clusterSetSlotNode(slot, toId)));

        assertThat(decision).succeedsWithin(1, TimeUnit.MINUTES).matches(Decision::allowed);
        assertThat(limiter.peek(both).remaining()).isEqualTo(999_998);
    }

    private List<String> keysOfThisTest(int slot, RedisProcess from) {
        return keys(slot, from).stream().filter(key -> key.startsWith(prefix)).toList();
    }

    private static List<String> keys(int slot, RedisProcess from) {
        return from.ask(redis -> redis.clusterGetKeysInSlot(slot, 1_000));
    }

    private static void migrate(List<String> keys, RedisProcess from, RedisProcess to) {
        keys.forEach(key -> from.ask(redis -> redis.migrate("127.0.0.1", to.port(), key, 0, 60_000)));
    }

    @Test
    void aSlotThatIsUsedForTheFirstTimeTakesOneRoundTripOnceItsMasterIsKnown() {
        RedisRateLimiter limiter = limiter(Duration.ofMinutes(1));
        ConnectedCluster.SUBJECTS.forEach(subject -> awaitAnswer(limiter, subject));
        roundTrips.set(0);

        for (int i = 0; i < 50; i++) {
            limiter.peek(Acquisition.of(BURST, "subject-" + i));
        }

        assertThat(roundTrips).hasValue(50);
    }

    private RedisRateLimiter limiter(Duration timeout) {
        RedisRateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(cluster.connection()))
                .keyPrefix(prefix)
                .timeout(timeout)
                .listener(roundTrip -> roundTrips.incrementAndGet())
                .build();
        limiters.add(limiter);
        return limiter;
    }

    private static void awaitAnswer(RedisRateLimiter limiter, String subject) {
        Awaitility.await().ignoreExceptions().until(() -> limiter.peek(Acquisition.of(BURST, subject)) != null);
    }
}
