package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.SharedThreads;
import io.ratelimit.testing.SwitchedConnections;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What was blocked or banned here while Redis was away, and is not in force there any more, holds in no later outage. */
class LiftedElsewhereTest {

    private static final Limit LIMIT = Limit.of("ten", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(1));

    private final RedisProcess redis = RedisProcess.start();
    private final RedisClient client = RedisClient.create(SharedThreads.ofLimiters(), redis.uri());
    private final SwitchedConnections connections = new SwitchedConnections(client.connect());
    private final RateLimiterStack here =
            RateLimiterStack.onRedis(connections).timeout(Duration.ofSeconds(2)).build();
    private final RateLimiterStack elsewhere =
            RateLimiterStack.onRedis(RedisConnections.of(client.connect())).build();

    @AfterEach
    void close() {
        here.close();
        elsewhere.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        redis.close();
    }

    @Test
    void aBlockThatWasPassedOnLate() {
        Acquisition ofAlice = Acquisition.of(LIMIT, "alice");
        connections.away = true;
        assertFails(() -> here.block(LIMIT, "alice", Duration.ofHours(1)));
        connections.away = false;
        await().until(() -> elsewhere.peek(ofAlice).limits().get(0).blocked());

        elsewhere.reset(LIMIT, "alice");

        admits(ofAlice, Decision.Source.STORE);
        connections.away = true;
        admits(ofAlice, Decision.Source.LOCAL);
    }

    @Test
    void aBanThatWasNotMade() {
        Limit banning = LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofHours(1));
        Acquisition ofAlice = Acquisition.of(banning, "alice");
        connections.away = true;
        assertFails(() -> here.ban(banning, "alice"));
        connections.away = false;

        admits(ofAlice, Decision.Source.STORE);
        connections.away = true;
        admits(ofAlice, Decision.Source.LOCAL);
    }

    /** The lease was taken before the block, and Redis is not asked. */
    @Test
    void notWhatALeaseAdmitsBesideABlockThatWasPassedOnLate() {
        Limit leased = LIMIT.withLease(5);
        Acquisition ofAlice = Acquisition.of(leased, "alice");
        admits(ofAlice, Decision.Source.STORE);
        connections.away = true;
        assertFails(() -> here.block(leased, "alice", Duration.ofHours(1)));
        connections.away = false;
        await().until(() -> elsewhere.peek(ofAlice).limits().get(0).blocked());
        here.acquire(ofAlice);

        connections.away = true;

        await().until(() -> here.acquire(ofAlice).source() == Decision.Source.LOCAL);
        assertThat(here.acquire(ofAlice).allowed()).isFalse();
    }

    private void admits(Acquisition acquisition, Decision.Source source) {
        Decision decision = await().until(() -> here.acquire(acquisition), made -> made.source() == source);
        assertThat(decision.allowed()).isTrue();
    }

    private static void assertFails(Runnable change) {
        assertThatThrownBy(change::run).isInstanceOf(StoreUnavailableException.class);
    }
}
