package io.ratelimit.internal.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.CommandType;
import io.ratelimit.redis.RedisConnections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Sends the limiter's commands: scripts by their digest, or their whole text if the node does not have them, and deletions.
 * A command whose reply has failed, for example by a lost connection or a timeout, is cancelled, so that it is not repeated
 * later. Thread-safe.
 */
final class CommandRunner implements AutoCloseable {

    private final RedisConnections connections;

    /** The replies that are awaited, and how each is failed when the connection is lost. */
    private final Map<CompletableFuture<?>, Runnable> underWay = new ConcurrentHashMap<>();

    private final Runnable removeListener;

    CommandRunner(RedisConnections connections) {
        this.connections = connections;
        removeListener = connections.whenLost(() -> underWay.values().forEach(Runnable::run));
    }

    /** Cancels what Redis has not answered: no loss of the connection would do so from now on. */
    @Override
    public void close() {
        removeListener.run();
        underWay.keySet().forEach(reply -> reply.completeExceptionally(StoreFailures.closed()));
    }

    /**
     * Deletes keys, and completes the reply by how many there were. Each has a command of its own: while its slot is moving,
     * a Cluster refuses a command with several keys of which some do not exist.
     */
    void delete(CompletableFuture<Long> reply, String... keys) {
        whenLost(reply, () -> reply.completeExceptionally(StoreFailures.lost()));
        CompletableFuture<Long> all = CompletableFuture.completedFuture(0L);
        for (String key : keys) {
            if (reply.isDone()) {
                return; // its time was over before
            }
            CompletableFuture<Long> one = new CompletableFuture<>();
            delete(key, reply, one);
            all = all.thenCombine(one, Long::sum);
        }
        all.thenAccept(reply::complete);
    }

    private void delete(String key, CompletableFuture<Long> reply, CompletableFuture<Long> one) {
        try {
            follow(connections.commands().del(key), reply, (deleted, failure) -> {
                if (failure == null) {
                    one.complete(deleted);
                } else {
                    reply.completeExceptionally(failure);
                }
            });
        } catch (RuntimeException unavailable) {
            reply.completeExceptionally(unavailable);
        }
    }

    @SuppressWarnings("CollectionUndefinedEquality") // identity is what is meant
    private void whenLost(CompletableFuture<?> reply, Runnable fail) {
        underWay.put(reply, fail);
        reply.whenComplete((answer, failure) -> underWay.remove(reply));
    }

    /** Returns the reply of a script. If Lettuce repeats the command nevertheless, it decides nothing, and the reply fails. */
    CompletableFuture<byte[]> run(EngineScript script, String[] keys, byte[] request) {
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        UnrepeatedRequest sent = new UnrepeatedRequest(keys, request);
        whenLost(reply, () -> reply.completeExceptionally(sent.giveUp()));
        try {
            RedisClusterAsyncCommands<String, String> commands = connections.commands();
            follow(send(commands, CommandType.EVALSHA, script.sha(), sent), reply, (bytes, failure) -> {
                if (failure instanceof RedisNoScriptException && !sent.isRepeated()) {
                    runWhole(commands, script, sent, reply);
                } else {
                    complete(script, sent, reply, bytes, failure);
                }
            });
        } catch (RuntimeException unavailable) {
            reply.completeExceptionally(new StoreFailures.Unsent(unavailable));
        }
        return reply;
    }

    private static void runWhole(
            RedisClusterAsyncCommands<String, String> commands,
            EngineScript script,
            UnrepeatedRequest sent,
            CompletableFuture<byte[]> reply) {
        try {
            follow(
                    send(commands, CommandType.EVAL, script.text(), sent),
                    reply,
                    (bytes, failure) -> complete(script, sent, reply, bytes, failure));
        } catch (RuntimeException unavailable) {
            reply.completeExceptionally(new StoreFailures.Unsent(unavailable));
        }
    }

    /** Builds the command by hand, because request and reply are bytes on a connection of strings. */
    private static RedisFuture<byte[]> send(
            RedisClusterAsyncCommands<String, String> commands,
            CommandType eval,
            String script,
            UnrepeatedRequest request) {
        return commands.dispatch(eval, request.output(), request.arguments(script));
    }

    private static <T> void follow(
            RedisFuture<T> command, CompletableFuture<T> reply, BiConsumer<T, Throwable> action) {
        command.whenComplete(action);
        reply.whenComplete((answer, failure) -> {
            if (failure != null) {
                command.cancel(true);
            }
        });
    }

    private static void complete(
            EngineScript script,
            UnrepeatedRequest sent,
            CompletableFuture<byte[]> reply,
            byte[] bytes,
            Throwable failure) {
        if (sent.isLost(failure)) {
            reply.completeExceptionally(StoreFailures.lost());
        } else if (failure == null) {
            reply.complete(bytes);
        } else if (StoreFailures.isOfConnection(failure)) {
            reply.completeExceptionally(new StoreFailures.Unsent(failure));
        } else {
            reply.completeExceptionally(script.named(failure));
        }
    }
}
