package io.ratelimit.spring.internal.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.redis.LimiterConnectionFactory.Connected;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The limiter's one connection to Redis, where the application's connection factory says Redis is. Once it is there,
 * Lettuce reconnects by itself; another one takes its place if its node has become a replica. Thread-safe.
 */
public final class LettuceConnections implements RedisConnections, AutoCloseable {

    private static final long FIRST_PAUSE_MILLIS = 200;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    private final LimiterConnectionFactory factory;
    private final RepeatedWarning warning = new RepeatedWarning(MessageCode.REDIS_UNREACHABLE);
    private final RepeatedWarning silence = new RepeatedWarning(MessageCode.REDIS_SILENT);
    private final MasterSearch masterSearch;
    private final List<Runnable> whenLost = new CopyOnWriteArrayList<>();
    private final List<Runnable> whenRestored = new CopyOnWriteArrayList<>();
    private volatile @Nullable InUse current;
    private volatile @Nullable String lastFailure;
    private final FirstAttempt firstAttempt = new FirstAttempt();
    private volatile Runnable whenFirstUsed = () -> {};
    private volatile boolean closed;

    /**
     * Takes over the settings; connects to nothing yet.
     *
     * @param timeout how long a call may wait for Redis
     */
    public LettuceConnections(LettuceConnectionFactory application, Duration timeout) {
        this.factory = LimiterConnectionFactory.like(application, timeout, cause -> report(cause, cause));
        this.masterSearch = new MasterSearch(this::search, System::nanoTime);
    }

    /** The connection that is used now; removing the listener leaves it without any effect. */
    private record InUse(Connected connected, RedisConnections connections, Runnable removeListener) {}

    @Override
    public RedisClusterAsyncCommands<String, String> commands() {
        InUse connection = current;
        if (connection == null) {
            whenFirstUsed.run();
            connection = current;
        }
        if (connection == null) {
            throw new StoreUnavailableException(
                    lastFailure == null ? "Redis is not connected yet" : "Redis is not connected yet: " + lastFailure);
        }
        return connection.connections.commands();
    }

    @Override
    public boolean isCluster() {
        return factory.isCluster();
    }

    @Override
    public String node(int slot) {
        InUse connection = current;
        return connection == null ? "not connected" : connection.connections.node(slot);
    }

    @Override
    public Runnable whenLost(Runnable action) {
        whenLost.add(action);
        return () -> whenLost.remove(action);
    }

    @Override
    public Runnable whenRestored(Runnable action) {
        whenRestored.add(action);
        return () -> whenRestored.remove(action);
    }

    /**
     * Asks a Cluster for its topology. Of other kinds Lettuce looks for the master when it reconnects, which is no help if the
     * node is there, but a replica, or if Lettuce reads the roles of the nodes only once: then connects anew.
     */
    @Override
    public void lookForMaster(boolean readOnly) {
        if (!closed && current != null && (factory.isCluster() || readOnly || factory.hasFixedRoles())) {
            masterSearch.begin();
        }
    }

    private CompletionStage<?> search() {
        return factory.isCluster()
                ? factory.refreshTopology()
                : factory.connectAsync().thenAccept(this::use);
    }

    /** Replaces the connection in use. */
    private synchronized void use(Connected connected) {
        if (closed) {
            return; // it ends with the factory
        }
        RedisConnections connections = connected.forLimiter();
        Runnable removeLost = connections.whenLost(() -> whenLost.forEach(Runnable::run));
        Runnable removeRestored = connections.whenRestored(() -> whenRestored.forEach(Runnable::run));
        InUse before = current;
        current = new InUse(connected, connections, () -> {
            removeLost.run();
            removeRestored.run();
        });
        firstAttempt.end();
        if (before != null) {
            before.removeListener.run();
            before.connected.connection().closeAsync();
            whenRestored.forEach(Runnable::run);
        }
    }

    /** Sets what is done when a command is to be sent and there is no connection yet. */
    void whenFirstUsed(Runnable action) {
        whenFirstUsed = action;
    }

    FirstAttempt firstAttempt() {
        return firstAttempt;
    }

    /** The name that Redis checks rights by. */
    String user() {
        return factory.user();
    }

    /** Tries again until there is a connection, also after an error, such as of a thread that cannot be made. Blocks. */
    void connect() throws InterruptedException {
        long pauseMillis = FIRST_PAUSE_MILLIS;
        while (current == null && !closed) {
            try {
                use(factory.connect());
            } catch (RuntimeException | Error failed) {
                Throwable cause = NestedExceptionUtils.getMostSpecificCause(failed);
                if (cause instanceof InterruptedException closing) {
                    throw closing;
                }
                report(failed, cause);
                firstAttempt.end();
                Thread.sleep(pauseMillis);
                pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
            }
        }
    }

    private void report(Throwable failure, Throwable cause) {
        String why = cause.getClass().getSimpleName() + ": " + cause.getMessage();
        lastFailure = cause == failure ? why : failure.getMessage() + " (" + why + ")";
        if (!closed && isSilence(cause)) {
            silence.log(
                    "silence",
                    "Redis has not answered for {} ms: on-store-failure decides until it does",
                    LimiterClientSettings.CONNECT_TIMEOUT.toMillis());
        } else if (!closed) {
            warning.log(
                    kind(cause),
                    "Redis cannot be reached, so that on-store-failure decides: {}. Check host, port, username, password"
                            + " and TLS in spring.data.redis.* or in the application's connection factory; connecting is"
                            + " tried again until it succeeds",
                    lastFailure);
        }
    }

    /** Redis' errors, such as WRONGPASS, are of one class. */
    private static String kind(Throwable cause) {
        return cause instanceof RedisCommandExecutionException
                ? String.valueOf(cause.getMessage()).split(" ", 2)[0]
                : cause.getClass().getName();
    }

    /** True if something is there that does not answer, which is not to be mistaken for a wrong address. */
    private static boolean isSilence(Throwable cause) {
        return cause instanceof RedisCommandTimeoutException;
    }

    @Override
    public void close() {
        closed = true;
        factory.close();
    }
}
