package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.ReplyProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A reset that failed for its caller is not executed once the connection is there again. */
class LostResetTest {

    private static final Limit LIMIT = Limit.of("lost", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300))
            .withBan(3, Duration.ofHours(1), Duration.ofHours(1));
    private static final Acquisition FIVE = Acquisition.of(LIMIT, "alice", 5);

    private final RedisProcess server = RedisProcess.start();
    private final ReplyProxy proxy = new ReplyProxy(server.port());
    private final ClientResources resources = ClientResources.builder()
            .reconnectDelay(Delay.constant(Duration.ofMillis(500)))
            .build();
    private final RedisClient slowToReconnect = client(proxy.uri());
    private final RedisClient client = client(server.uri());
    private final RedisRateLimiter limiter = limiter(slowToReconnect);
    private final RedisRateLimiter other = limiter(client);

    @AfterEach
    void close() throws IOException {
        limiter.close();
        other.close();
        slowToReconnect.shutdown(Duration.ZERO, Duration.ZERO);
        client.shutdown(Duration.ZERO, Duration.ZERO);
        resources.shutdown(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
        proxy.close();
        server.close();
    }

    @Test
    void whatOthersChargeMeanwhileIsKept() {
        awaitAnswer(limiter);
        awaitAnswer(other);
        proxy.loseNextReply();
        assertThatThrownBy(() -> limiter.reset(LIMIT, "alice")).isInstanceOf(StoreUnavailableException.class);

        assertThat(other.acquire(FIVE).allowed()).isTrue();

        awaitAnswer(limiter);
        assertThat(limiter.peek(FIVE).remaining()).isEqualTo(95);
    }

    @Test
    void whatOthersBanMeanwhileStaysBanned() {
        awaitAnswer(limiter);
        awaitAnswer(other);
        proxy.loseNextReply();
        assertThatThrownBy(() -> limiter.unban(LIMIT, "alice")).isInstanceOf(StoreUnavailableException.class);

        other.ban(LIMIT, "alice");

        awaitAnswer(limiter);
        assertThat(limiter.peek(FIVE).limits().get(0).banned()).isTrue();
    }

    private static void awaitAnswer(RedisRateLimiter limiter) {
        Awaitility.await()
                .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(() -> limiter.peek(FIVE) != null);
    }

    private RedisClient client(String uri) {
        RedisClient made = RedisClient.create(resources, RedisURI.create(uri));
        made.setOptions(ClientOptions.builder()
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .build());
        return made;
    }

    private static RedisRateLimiter limiter(RedisClient client) {
        return RedisRateLimiter.builder(RedisConnections.of(client.connect()))
                .timeout(Duration.ofMinutes(1))
                .build();
    }
}
