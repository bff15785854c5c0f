package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.SharedThreads;
import io.ratelimit.testing.SwitchedConnections;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What follows a decision is made once, also if Redis is away for a moment just then. */
class SettlementInABlipTest {

    private static final Acquisition SLOT =
            Acquisition.of(Limit.of("slots", Algorithm.CONCURRENCY, 5, Duration.ofHours(1)), "alice");
    private static final Limit TOKENS = Limit.of("tokens", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(300));
    private static final Acquisition THREE = Acquisition.of(TOKENS, "alice", 3);

    private final RedisProcess redis = RedisProcess.start();
    private final RedisClient client = RedisClient.create(SharedThreads.ofLimiters(), redis.uri());
    private final SwitchedConnections connections = new SwitchedConnections(client.connect());
    private final RedisRateLimiter limiter = RedisRateLimiter.builder(connections)
            .timeout(Duration.ofMillis(100))
            .build();

    @AfterEach
    void close() {
        limiter.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        redis.close();
    }

    /** The longer silence is more than the ten timeouts for which late replies are awaited. */
    @ParameterizedTest
    @ValueSource(longs = {400, 2_500})
    void aSlotIsFreedThoughRedisWasSilent(long millis) {
        warm();
        Decision decision = acquire(SLOT);
        client.connect().sync().clientPause(millis);

        try {
            limiter.release(SLOT, decision);
        } catch (StoreUnavailableException silent) {
            assertThat(silent).hasMessageContaining("did not answer");
        }

        awaitRemaining(SLOT, 5);
    }

    @Test
    void aSlotIsFreedThoughThereWasNoConnection() {
        warm();
        Decision decision = acquire(SLOT);
        connections.away = true;
        assertFails(() -> limiter.release(SLOT, decision));
        for (int i = 0; i < 10; i++) {
            assertFails(() -> limiter.peek(SLOT)); // opens the breaker
        }

        connections.away = false;

        awaitRemaining(SLOT, 5);
    }

    @Test
    void aRefundIsMadeOnceHoweverOftenItIsAskedFor() {
        warm();
        acquire(THREE);
        Decision decision = acquire(THREE);
        connections.away = true;
        assertFails(() -> limiter.refund(THREE, decision));
        limiter.refund(THREE, decision);
        connections.away = false;

        awaitRemaining(THREE, 7);
        limiter.refund(THREE, decision);
        awaitRemaining(THREE, 7);
    }

    @Test
    void aRefundThatAReplicaRefusedIsMadeOnceItIsAMaster() {
        warm();
        acquire(THREE);
        Decision decision = acquire(THREE);
        redis.ask(server -> server.replicaof("127.0.0.1", 1));
        assertFails(() -> limiter.refund(THREE, decision));

        redis.ask(RedisCommands::replicaofNoOne);

        awaitRemaining(THREE, 7);
    }

    @Test
    void aSlotIsFreedThoughTheRightToRunScriptsWasMissing() {
        warm();
        acquire(SLOT);
        Decision decision = acquire(SLOT);
        redis.ask(server -> server.aclSetuser("default", new AclSetuserArgs().removeCommand(CommandType.EVALSHA)));
        assertFails(() -> limiter.release(SLOT, decision));

        redis.ask(server -> server.aclSetuser("default", new AclSetuserArgs().addCommand(CommandType.EVALSHA)));

        awaitRemaining(SLOT, 4);
    }

    @Test
    void aSlotIsFreedThoughTheRightToItsKeysWasMissing() {
        warm();
        Decision decision = acquire(SLOT);
        redis.ask(server -> server.aclSetuser("default", new AclSetuserArgs().resetKeys()));
        assertFails(() -> limiter.release(SLOT, decision));

        redis.ask(server -> server.aclSetuser("default", new AclSetuserArgs().allKeys()));

        awaitRemaining(SLOT, 5);
    }

    /** The longer silence is more than the ten timeouts for which late replies are awaited. */
    @ParameterizedTest
    @ValueSource(longs = {400, 2_500})
    void aBlockBeginsThoughRedisWasSilentAndEndsWhenItWouldHaveEnded(long millis) {
        warm();

        AtomicLong began = new AtomicLong();
        await("a block that fails before Redis is back")
                .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(() -> {
                    limiter.reset(TOKENS, "alice");
                    client.connect().sync().clientPause(millis);
                    began.set(System.nanoTime());
                    return fails(() -> limiter.block(TOKENS, "alice", Duration.ofHours(1)));
                });
        long failed = System.nanoTime();

        awaitRemaining(THREE, 0);
        long asked = System.nanoTime();
        Duration left = peek(THREE).retryAfter();
        Duration clocks = Duration.ofMillis(2); // of this process and of Redis
        assertThat(left)
                .isLessThanOrEqualTo(
                        Duration.ofHours(1).minusNanos(asked - failed).plus(clocks));
        assertThat(left).isGreaterThanOrEqualTo(Duration.ofHours(1).minusNanos(System.nanoTime() - began.get()));
    }

    /** What is sent before Redis wakes carries the time that was left then. */
    @Test
    void aBlockThatARedisReadsLateLastsNoLonger() {
        warm();
        client.connect().sync().clientPause(2_500);
        for (int i = 0; i < 20; i++) {
            assertFails(() -> limiter.block(TOKENS, "alice", Duration.ofHours(1))); // the later ones by the breaker
        }
        long last = System.nanoTime();

        awaitRemaining(THREE, 0);
        Duration late = Duration.ofMillis(800); // half a second, and until all are there
        await().during(late)
                .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .untilAsserted(() -> assertThat(limiter.peek(THREE).retryAfter())
                        .isLessThan(Duration.ofHours(1)
                                .minusNanos(System.nanoTime() - last)
                                .plus(late)));
    }

    @Test
    void aBlockThatWaitsForRedisIsForgottenByAReset() {
        warm();
        connections.away = true;
        assertFails(() -> limiter.block(TOKENS, "alice", Duration.ofHours(1)));
        assertFails(() -> limiter.block(TOKENS, "bob", Duration.ofHours(1)));
        assertFails(() -> limiter.reset(TOKENS, "alice"));

        connections.away = false;

        await().ignoreException(StoreUnavailableException.class)
                .until(() -> limiter.peek(Acquisition.of(TOKENS, "bob")).remaining() == 0);
        assertThat(peek(THREE).remaining()).isEqualTo(10);
    }

    @Test
    void aBlockThatHasEndedBeforeRedisIsBackIsForgotten() {
        warm();
        connections.away = true;
        assertFails(() -> limiter.block(TOKENS, "alice", Duration.ofMillis(1)));
        assertFails(() -> limiter.cap(TOKENS, "alice", 3, Duration.ofHours(1)));

        connections.away = false;

        awaitRemaining(THREE, 3);
    }

    @Test
    void aSlotIsFreedThoughRedisHadNoMemory() {
        warm();
        acquire(SLOT);
        Decision decision = acquire(SLOT);
        redis.ask(server -> server.configSet("maxmemory", "1"));
        assertFails(() -> limiter.release(SLOT, decision));

        redis.ask(server -> server.configSet("maxmemory", "0"));

        awaitRemaining(SLOT, 4);
    }

    /** It would be refused at each check, hundreds of times a second. */
    @Test
    void aRefusedSettlementIsRepeatedAFewTimesASecond() {
        warm();
        acquire(THREE);
        Decision decision = acquire(THREE);
        redis.ask(server -> server.replicaof("127.0.0.1", 1));
        long beganNanos = System.nanoTime();
        assertFails(() -> limiter.refund(THREE, decision));

        await().until(() -> refusals() > 4);

        assertThat(System.nanoTime() - beganNanos).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(900));
    }

    private long refusals() {
        return redis.ask(server -> server.info("errorstats"))
                .lines()
                .filter(line -> line.startsWith("errorstat_READONLY:count="))
                .mapToLong(line -> Long.parseLong(line.trim().substring("errorstat_READONLY:count=".length())))
                .findFirst()
                .orElse(0);
    }

    /** Until Redis has answered often enough, calls may take longer. */
    private void warm() {
        for (int i = 0; i < 20; i++) {
            awaitRemaining(SLOT, 5);
        }
    }

    private Decision acquire(Acquisition acquisition) {
        return await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(() -> limiter.acquire(acquisition), Decision::allowed);
    }

    private Decision peek(Acquisition acquisition) {
        return await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(() -> limiter.peek(acquisition), peeked -> true);
    }

    private static boolean fails(Runnable call) {
        try {
            call.run();
            return false;
        } catch (StoreUnavailableException silent) {
            return true;
        }
    }

    private static void assertFails(Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(StoreUnavailableException.class);
    }

    private void awaitRemaining(Acquisition acquisition, long remaining) {
        await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(() -> remaining(acquisition) == remaining);
    }

    private long remaining(Acquisition acquisition) {
        return limiter.peek(Acquisition.of(acquisition.charges().get(0).limit(), "alice"))
                .remaining();
    }
}
