package io.ratelimit.spring.internal.redis;

import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A Redis that refuses a connection which was there before, and the warning that names its reason. */
class RefusedReconnectTest {

    @Test
    void thePasswordThatHasChangedIsNamed() throws Exception {
        try (RedisProcess redis = DocumentedRights.startRedis();
                LettuceConnections connections =
                        new LettuceConnections(new LettuceConnectionFactory(place(redis)), Duration.ofMillis(100));
                LogCapture log = LogCapture.start()) {
            connections.connect();

            redis.<String>ask(commands -> commands.aclSetuser(
                    "limiter", AclSetuserArgs.Builder.resetpass().addPassword("another")));
            redis.<Long>ask(commands -> commands.clientKill(KillArgs.Builder.user("limiter")));

            await().until(() -> log.messages(Level.WARN).stream()
                    .anyMatch(line ->
                            line.startsWith(MessageCode.REDIS_UNREACHABLE.toString()) && line.contains("WRONGPASS")));
        }
    }

    private static RedisStandaloneConfiguration place(RedisProcess redis) {
        RedisStandaloneConfiguration place = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
        place.setUsername("limiter");
        place.setPassword("secret");
        return place;
    }
}
