package io.ratelimit.spring.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The limiter's one connection to Redis, where the application's connection factory says Redis is. Connects in the
 * background, so that the application starts with Redis down, and tries again until it succeeds once; from then on
 * Lettuce reconnects by itself. Thread-safe.
 */
public final class LettuceConnections implements RedisConnections, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LettuceConnections.class);
    private static final long PAUSE_MILLIS = 200;

    private final LimiterConnectionFactory factory;
    private final AbstractRedisClient client;
    private final CompletableFuture<RedisConnections> connected = new CompletableFuture<>();
    private final Thread connector;

    /** Starts connecting. */
    public LettuceConnections(LettuceConnectionFactory application) {
        this.factory = new LimiterConnectionFactory(application);
        this.client = factory.get().getRequiredNativeClient();
        this.connector = new Thread(this::connectUntilConnected, "ratelimit-connect");
        connector.setDaemon(true);
        connector.start();
    }

    @Override
    public RedisClusterAsyncCommands<String, String> commands() {
        RedisConnections connections = connected.getNow(null);
        if (connections == null) {
            throw new StoreUnavailableException("Redis is not connected yet");
        }
        return connections.commands();
    }

    @Override
    public boolean isCluster() {
        return client instanceof RedisClusterClient;
    }

    @Override
    public void whenLost(Runnable action) {
        connected.thenAccept(connections -> connections.whenLost(action));
    }

    /** Waits until there is a connection, that long at most; says whether there is one. */
    public boolean awaitConnected(Duration atMost) {
        try {
            connected.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (ExecutionException failed) {
            throw new IllegalStateException("connecting only ever succeeds or goes on", failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        connector.interrupt();
        factory.close();
    }

    private void connectUntilConnected() {
        while (!connected.isDone()) {
            try {
                connected.complete(connect());
            } catch (RuntimeException unreachable) {
                LOG.debug("Redis cannot be reached yet", unreachable);
                if (!pause()) {
                    return;
                }
            }
        }
    }

    private RedisConnections connect() {
        return client instanceof RedisClusterClient cluster
                ? RedisConnections.of(cluster.connect())
                : RedisConnections.of(((RedisClient) client).connect());
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException closing) {
            return false;
        }
    }
}
