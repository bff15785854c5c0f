package io.ratelimit.lab;

import io.lettuce.core.api.sync.RedisCommands;
import io.ratelimit.benchmarks.DelayProxy;
import io.ratelimit.benchmarks.RedisSite;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Redis is killed, and its replica takes over on the same port with what it has received until then. Replication is
 * asynchronous, and goes through a proxy that delays it.
 */
final class Failover implements Incident {

    static final Duration REPLICATION_ROUND_TRIP = Duration.ofMillis(50);

    private @Nullable RedisProcess replica;
    private @Nullable DelayProxy network;

    @Override
    public void prepare(RedisSite redis) {
        redis.commands().configSet("repl-diskless-sync-delay", "0");
        DelayProxy proxy = DelayProxy.start(redis.port(), REPLICATION_ROUND_TRIP);
        RedisProcess started = RedisProcess.start("--replicaof", "127.0.0.1", Integer.toString(proxy.port()));
        Awaitility.await("a replica in step")
                .atMost(Duration.ofSeconds(30))
                .until(() ->
                        started.ask(commands -> commands.info("replication")).contains("master_link_status:up"));
        network = proxy;
        replica = started;
    }

    @Override
    public void happen(RedisSite redis) {
        RedisProcess promoted = Objects.requireNonNull(replica);
        Objects.requireNonNull(network).close();
        redis.kill();
        promoted.ask(RedisCommands::replicaofNoOne);
        promoted.ask(commands -> commands.configSet("port", Integer.toString(redis.port())));
        redis.continueOn(promoted);
    }
}
