package io.ratelimit.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.CommandType;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/** Runs scripts by their digest. Sends the whole text if the node does not have the script. Thread-safe. */
final class ScriptRunner {

    private final RedisConnections connections;
    private final Set<CompletableFuture<byte[]>> underWay = ConcurrentHashMap.newKeySet();

    ScriptRunner(RedisConnections connections) {
        this.connections = connections;
        connections.whenLost(this::giveUpAll);
    }

    /**
     * Returns the reply. If it fails, for example by a lost connection, the command is cancelled so that it is not
     * repeated. If Lettuce repeats it nevertheless, it decides nothing, and the reply fails.
     */
    @SuppressWarnings("CollectionUndefinedEquality") // identity is what is meant
    CompletableFuture<byte[]> run(EngineScript script, String[] keys, byte[] request) {
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        underWay.add(reply);
        reply.whenComplete((bytes, failure) -> underWay.remove(reply));
        UnrepeatedRequest sent = new UnrepeatedRequest(keys, request);
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
            reply.completeExceptionally(unavailable);
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
            reply.completeExceptionally(unavailable);
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

    private static void follow(
            RedisFuture<byte[]> command, CompletableFuture<byte[]> reply, BiConsumer<byte[], Throwable> action) {
        command.whenComplete(action);
        reply.whenComplete((bytes, failure) -> {
            if (failure != null) {
                command.cancel(true);
            }
        });
    }

    private void giveUpAll() {
        underWay.forEach(reply -> reply.completeExceptionally(StoreFailures.lost()));
    }

    private static void complete(
            EngineScript script,
            UnrepeatedRequest sent,
            CompletableFuture<byte[]> reply,
            byte[] bytes,
            Throwable failure) {
        if (sent.isRepeated()) {
            reply.completeExceptionally(StoreFailures.lost());
        } else if (failure == null) {
            reply.complete(bytes);
        } else {
            reply.completeExceptionally(script.named(failure));
        }
    }
}
