package io.ratelimit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisClusterProcess;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Masters of a Cluster that do not answer: the caller is told in time, and what other masters took is given back. */
@ExtendWith(NoThreadsLeft.class)
class HungMasterTest {

    private static final Duration TIMEOUT = Duration.ofMillis(600);
    private static final Limit LIMIT = Limit.of("five", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofHours(1));

    /** One on each master. */
    private static final List<String> SUBJECTS = List.of("alice", "bob", "erin");

    private static RedisClusterProcess cluster;
    private static RedisClusterClient client;
    private static StatefulRedisClusterConnection<String, String> connection;

    private final RedisRateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(connection))
            .keyPrefix("test-" + UUID.randomUUID())
            .timeout(TIMEOUT)
            .build();
    private final Acquisition onAllMasters =
            Acquisition.of(LIMIT, SUBJECTS.get(0)).and(LIMIT, SUBJECTS.get(1)).and(LIMIT, SUBJECTS.get(2));

    @BeforeAll
    static void start() {
        cluster = RedisClusterProcess.start();
        client = RedisClusterClient.create(Leftovers.named(RedisURI.create(cluster.uri())));
        connection = client.connect();
    }

    @AfterAll
    static void stop() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        Leftovers.assertNone(cluster.servers());
        cluster.close();
    }

    @BeforeEach
    void knowTheTimeOfEveryMaster() {
        Awaitility.await().ignoreExceptions().until(() -> limiter.peek(onAllMasters) != null);
    }

    @AfterEach
    void goOn() {
        cluster.masters().forEach(master -> master.signal("CONT"));
        limiter.close();
    }

    @Test
    void whatWasTakenBeforeAMasterHungIsGivenBack() {
        master(2).signal("STOP");

        assertFailsInTime(limiter.acquireAsync(onAllMasters).toCompletableFuture());

        master(2).signal("CONT");
        awaitNothingTaken();
    }

    @Test
    void mastersThatHangOneAfterTheOtherTakeNoLongerThanOne() {
        master(1).signal("STOP");
        CompletableFuture<Decision> answer = limiter.acquireAsync(onAllMasters).toCompletableFuture();
        Awaitility.await("most of the timeout")
                .pollDelay(TIMEOUT.minusMillis(200))
                .until(() -> !answer.isDone());
        master(2).signal("STOP");
        master(1).signal("CONT");

        assertThat(answer)
                .failsWithin(Duration.ofMillis(250))
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class);

        master(2).signal("CONT");
        awaitNothingTaken();
    }

    private static RedisProcess master(int index) {
        return cluster.masters().get(index);
    }

    private static void assertFailsInTime(CompletableFuture<Decision> answer) {
        assertThat(answer)
                .failsWithin(TIMEOUT.plusMillis(50))
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class);
    }

    private void awaitNothingTaken() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> limiter.peek(onAllMasters).remaining() == 5);
    }
}
