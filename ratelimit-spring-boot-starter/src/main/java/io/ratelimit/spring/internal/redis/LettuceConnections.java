package io.ratelimit.spring.internal.redis;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.spring.MessageCode;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The limiter's one connection to Redis, where the application's connection factory says Redis is. Once it is there,
 * Lettuce reconnects by itself. Thread-safe.
 */
public final class LettuceConnections implements RedisConnections, AutoCloseable {

    private static final long FIRST_PAUSE_MILLIS = 200;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    private final LimiterConnectionFactory factory;
    private final RepeatedWarning warning = new RepeatedWarning(MessageCode.REDIS_UNREACHABLE);
    private final CompletableFuture<RedisConnections> connected = new CompletableFuture<>();
    private volatile @Nullable String lastFailure;
    private volatile boolean closed;

    /** Takes over the settings; connects to nothing yet. */
    public LettuceConnections(LettuceConnectionFactory application) {
        this.factory = LimiterConnectionFactory.like(application);
    }

    @Override
    public RedisClusterAsyncCommands<String, String> commands() {
        RedisConnections connections = connected.getNow(null);
        if (connections == null) {
            throw new StoreUnavailableException(
                    lastFailure == null ? "Redis is not connected yet" : "Redis is not connected yet: " + lastFailure);
        }
        return connections.commands();
    }

    @Override
    public boolean isCluster() {
        return factory.isCluster();
    }

    @Override
    public String node(int slot) {
        RedisConnections connections = connected.getNow(null);
        return connections == null ? "not connected" : connections.node(slot);
    }

    @Override
    public Runnable whenLost(Runnable action) {
        return removalOf(connected.thenApply(connections -> connections.whenLost(action)));
    }

    @Override
    public Runnable whenRestored(Runnable action) {
        return removalOf(connected.thenApply(connections -> connections.whenRestored(action)));
    }

    private static Runnable removalOf(CompletableFuture<Runnable> registered) {
        return () -> registered.thenAccept(Runnable::run);
    }

    /** The name that Redis checks rights by. */
    String user() {
        return factory.user();
    }

    /** True if connecting has failed; a warning says why. */
    boolean hasFailed() {
        return lastFailure != null;
    }

    /** Tries again until there is a connection. Blocks. */
    void connect() throws InterruptedException {
        long pauseMillis = FIRST_PAUSE_MILLIS;
        while (!connected.isDone() && !closed) {
            try {
                connected.complete(factory.connect());
            } catch (RuntimeException failed) {
                Throwable cause = NestedExceptionUtils.getMostSpecificCause(failed);
                if (cause instanceof InterruptedException closing) {
                    throw closing;
                }
                report(failed, cause);
                Thread.sleep(pauseMillis);
                pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
            }
        }
    }

    private void report(RuntimeException failed, Throwable cause) {
        String why = cause.getClass().getSimpleName() + ": " + cause.getMessage();
        lastFailure = cause == failed ? why : failed.getMessage() + " (" + why + ")";
        if (!closed) {
            warning.log(
                    cause.getClass().getName(),
                    "Redis cannot be reached, so that on-store-failure decides: {}. Check host, port, username, password"
                            + " and TLS in spring.data.redis.* or in the application's connection factory; connecting is"
                            + " tried again every {} ms",
                    lastFailure,
                    LONGEST_PAUSE_MILLIS);
        }
    }

    @Override
    public void close() {
        closed = true;
        factory.close();
    }
}
