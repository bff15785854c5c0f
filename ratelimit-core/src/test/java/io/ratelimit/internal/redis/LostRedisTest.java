package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.BreakerState;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A Redis that is killed and comes back: calls in between fail at once, and none of them is carried out afterwards. */
@ExtendWith(NoThreadsLeft.class)
class LostRedisTest {

    private static final Limit LIMIT = Limit.of("hundred", Algorithm.TOKEN_BUCKET, 100, Duration.ofHours(1));
    private static final Acquisition ONE = Acquisition.of(LIMIT, "alice");

    @ParameterizedTest
    @EnumSource(
            value = DisconnectedBehavior.class,
            names = {"DEFAULT", "REJECT_COMMANDS"})
    void callsFailWhileItIsAwayAndAreNotCarriedOutWhenItIsBack(DisconnectedBehavior behavior) {
        int port;
        ClientOptions options =
                ClientOptions.builder().disconnectedBehavior(behavior).build();
        RedisUnderTest redis;
        try (RedisProcess server = RedisProcess.start()) {
            port = server.port();
            redis = RedisUnderTest.on(server.uri(), Duration.ofSeconds(30), options);
            assertThat(redis.limiter().acquire(ONE).allowed()).isTrue();
        }
        try (redis) {
            Awaitility.await().until(() -> !redis.connection().isOpen());
            IntStream.range(0, 50)
                    .forEach(i -> assertThatThrownBy(() -> redis.limiter().acquire(ONE))
                            .isInstanceOf(StoreUnavailableException.class));
            assertThatThrownBy(() -> redis.limiter().reset(LIMIT, "alice"))
                    .isInstanceOf(StoreUnavailableException.class);

            try (RedisProcess again = RedisProcess.startOn(port)) {
                Awaitility.await()
                        .ignoreExceptions()
                        .until(() -> redis.limiter().peek(ONE) != null);
                assertThat(redis.limiter().peek(ONE).remaining()).isEqualTo(100);
                assertThat(redis.limiter().acquire(ONE).remaining()).isEqualTo(99);
                assertThat(again.port()).isEqualTo(port);
            }
        }
    }

    /** Nobody calls between, and without a call or a reconnection an open breaker stays open. */
    @Test
    void theFirstCallIsSentAsSoonAsItIsConnectedAgain() {
        RedisProcess server = RedisProcess.start();
        try (RedisUnderTest redis = RedisUnderTest.on(server.uri(), Duration.ofSeconds(30), ClientOptions.create())) {
            assertThat(redis.limiter().acquire(ONE).allowed()).isTrue();
            server.close();
            Awaitility.await().until(() -> !redis.connection().isOpen());
            IntStream.range(0, 10)
                    .forEach(i -> assertThatThrownBy(() -> redis.limiter().acquire(ONE))
                            .isInstanceOf(StoreUnavailableException.class));
            assertThat(redis.limiter().breakers()).containsValue(BreakerState.OPEN);

            try (RedisProcess again = RedisProcess.startOn(server.port())) {
                Awaitility.await().until(() -> redis.limiter().breakers().containsValue(BreakerState.HALF_OPEN));
                assertThat(redis.limiter().acquire(ONE).allowed()).isTrue();
                assertThat(redis.limiter().breakers()).containsValue(BreakerState.CLOSED);
                assertThat(again.isAlive()).isTrue();
            }
        }
    }

    @Test
    void callsUnderWayWhenItDiesFailInTime() {
        RedisProcess server = RedisProcess.start();
        try (RedisUnderTest redis = RedisUnderTest.on(server.uri(), Duration.ofSeconds(30), ClientOptions.create())) {
            assertThat(redis.limiter().acquire(ONE).allowed()).isTrue();
            server.signal("STOP");
            var underWay = IntStream.range(0, 50)
                    .mapToObj(i -> redis.limiter().acquireAsync(ONE).toCompletableFuture())
                    .toList();

            server.close();

            assertThat(underWay)
                    .allSatisfy(answer -> assertThat(answer)
                            .failsWithin(Duration.ofMinutes(1))
                            .withThrowableThat()
                            .withCauseInstanceOf(StoreUnavailableException.class));
        }
    }
}
