package io.ratelimit.internal.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.ConnectedCluster;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.Unanswered;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Masters of a Cluster that do not answer: callers fail within the timeout, and what other masters charged is refunded.
 */
@ExtendWith(NoThreadsLeft.class)
class HungMasterTest {

    private static final Duration TIMEOUT = Duration.ofMillis(600);
    private static final Limit LIMIT = Limit.of("five", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofHours(1));

    private static ConnectedCluster cluster;

    private final RedisRateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(cluster.connection()))
            .keyPrefix("test-" + UUID.randomUUID())
            .timeout(TIMEOUT)
            .build();
    private final Acquisition onAllMasters = Acquisition.of(LIMIT, ConnectedCluster.SUBJECTS.get(0))
            .and(LIMIT, ConnectedCluster.SUBJECTS.get(1))
            .and(LIMIT, ConnectedCluster.SUBJECTS.get(2));

    @BeforeAll
    static void start() {
        cluster = new ConnectedCluster();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void knowTheTimeOfEveryMaster() {
        Awaitility.await().ignoreExceptions().until(() -> limiter.peek(onAllMasters) != null);
    }

    @AfterEach
    void goOn() {
        cluster.servers().masters().forEach(master -> master.signal("CONT"));
        limiter.close();
    }

    @Test
    void whatWasTakenBeforeAMasterHungIsGivenBack() {
        master(2).signal("STOP");

        Unanswered.assertTold(limiter.acquireAsync(onAllMasters));

        master(2).signal("CONT");
        awaitNothingTaken();
    }

    @Test
    void whatWasTakenIsGivenBackAlsoIfMastersHangOneAfterTheOther() {
        master(1).signal("STOP");

        CompletionStage<Decision> answer = limiter.acquireAsync(onAllMasters);
        Awaitility.await("most of the timeout")
                .pollDelay(TIMEOUT.minusMillis(200))
                .until(() -> true);
        master(2).signal("STOP");
        master(1).signal("CONT");

        Unanswered.assertTold(answer).withMessageContaining("Redis did not answer within 600 ms");

        master(2).signal("CONT");
        awaitNothingTaken();
    }

    private static RedisProcess master(int index) {
        return cluster.servers().masters().get(index);
    }

    private void awaitNothingTaken() {
        Awaitility.await()
                .ignoreExceptions()
                .until(() -> limiter.peek(onAllMasters).remaining() == 5);
    }
}
