package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolver;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.ConnectedCluster;
import io.ratelimit.testing.RedisClusterProcess;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.ReplyProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A master of a Cluster executes a call, and the connection to it breaks before the reply: nothing is executed twice. */
class LostNodeReplyTest {

    private static final String SUBJECT = ConnectedCluster.SUBJECTS.get(1);
    private static final Acquisition ONE =
            Acquisition.of(Limit.of("lost", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300)), SUBJECT);

    private final RedisClusterProcess servers = RedisClusterProcess.shared();
    private final RedisProcess master = servers.masters().get(1);
    private final ReplyProxy proxy = new ReplyProxy(master.port());
    private final ClientResources resources = ClientResources.builder()
            .socketAddressResolver(MappingSocketAddressResolver.create(DnsResolver.unresolved(), this::throughProxy))
            .build();
    private final RedisClusterClient client = RedisClusterClient.create(resources, RedisURI.create(servers.uri()));
    private final StatefulRedisClusterConnection<String, String> connection = client.connect();
    private final RedisRateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(connection))
            .keyPrefix("test-" + UUID.randomUUID())
            .timeout(Duration.ofMinutes(1))
            .build();

    private HostAndPort throughProxy(HostAndPort node) {
        return node.getPort() == master.port() ? HostAndPort.parse(proxy.uri().substring("redis://".length())) : node;
    }

    @AfterEach
    void close() throws IOException {
        limiter.close();
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        resources.shutdown(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
        proxy.close();
    }

    @Test
    void whatIsGivenBackIsNotGivenBackTwice() {
        awaitRemaining(100);
        Decision decision = limiter.acquire(ONE);
        limiter.acquire(ONE);
        proxy.loseNextReply();

        assertThatThrownBy(() -> limiter.refund(ONE, decision))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("lost");

        awaitRemaining(99);
    }

    @Test
    void aCallIsNotChargedTwiceAlsoWhenTheConnectionWasLostBefore() {
        for (int lost = 0; lost < 3; lost++) {
            awaitRemaining(100 - lost);
            proxy.loseNextReply();

            assertThatThrownBy(() -> limiter.acquire(ONE))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("lost");
        }
        awaitRemaining(97);
    }

    private void awaitRemaining(long expected) {
        Awaitility.await()
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(limiter.peek(ONE).remaining()).isEqualTo(expected));
    }
}
