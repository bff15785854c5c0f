package io.ratelimit.spring.internal.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

/**
 * The application's settings of Lettuce but six. A command that is sent while Redis is away fails at once, instead of being kept
 * and charged later. The limiter's timeout holds, not that of commands: a late reply says what to refund. To connect may
 * take two seconds, whatever the application's timeouts: no call waits for it, and a node that hangs must not hold up the search
 * for another one. A lost connection is reconnected. A slot of a Cluster that has moved is asked for where it is. All
 * nodes of a Cluster tell its topology, because the ones that the application names may be those that are lost.
 *
 * <p>A view rather than a copy, so that settings of later versions are used, too.
 */
final class LimiterClientSettings {

    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private LimiterClientSettings() {}

    static LettuceClientConfiguration over(
            LettuceClientConfiguration application, RedisConfiguration place, ClientResources resources) {
        ClientOptions ofApplication = application.getClientOptions().orElseGet(ClientOptions::create);
        if (RedisConfiguration.isClusterConfiguration(place)) {
            ofApplication = followingSlots(ClusterClientOptions.builder(ofApplication));
        }
        ClientOptions options = ofApplication
                .mutate()
                .socketOptions(ofApplication
                        .getSocketOptions()
                        .mutate()
                        .connectTimeout(CONNECT_TIMEOUT)
                        .build())
                .autoReconnect(true)
                .suspendReconnectOnProtocolFailure(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.create()) // none
                .build();
        return (LettuceClientConfiguration) Proxy.newProxyInstance(
                LettuceClientConfiguration.class.getClassLoader(),
                new Class<?>[] {LettuceClientConfiguration.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getClientResources" -> Optional.of(resources);
                    case "getClientOptions" -> Optional.of(options);
                    case "getCommandTimeout" -> CONNECT_TIMEOUT; // that of the handshake and of the topology
                    default -> method.invoke(application, arguments);
                });
    }

    private static ClientOptions followingSlots(ClusterClientOptions.Builder application) {
        ClusterTopologyRefreshOptions refresh = application.build().getTopologyRefreshOptions();
        return application.topologyRefreshOptions(new FollowedSlots(refresh)).build();
    }

    /** Asks all nodes, and when one says that a slot has moved, too. Lettuce 7 does so unless it is switched off. */
    private static final class FollowedSlots extends ClusterTopologyRefreshOptions {

        FollowedSlots(ClusterTopologyRefreshOptions application) {
            super(application);
        }

        @Override
        public Set<RefreshTrigger> getAdaptiveRefreshTriggers() {
            Set<RefreshTrigger> triggers = EnumSet.of(RefreshTrigger.MOVED_REDIRECT);
            triggers.addAll(super.getAdaptiveRefreshTriggers());
            return triggers;
        }

        @Override
        public boolean useDynamicRefreshSources() {
            return true;
        }
    }
}
