package io.ratelimit.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.ratelimit.StoreUnavailableException;
import java.nio.charset.StandardCharsets;
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
     * repeated.
     */
    @SuppressWarnings("CollectionUndefinedEquality") // identity is what is meant
    CompletableFuture<byte[]> run(EngineScript script, String[] keys, byte[] request) {
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        underWay.add(reply);
        reply.whenComplete((bytes, failure) -> underWay.remove(reply));
        try {
            RedisClusterAsyncCommands<String, String> commands = connections.commands();
            follow(send(commands, CommandType.EVALSHA, script.sha(), keys, request), reply, (bytes, failure) -> {
                if (failure instanceof RedisNoScriptException) {
                    runWhole(commands, script, keys, request, reply);
                } else {
                    complete(script, reply, bytes, failure);
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
            String[] keys,
            byte[] request,
            CompletableFuture<byte[]> reply) {
        try {
            follow(
                    send(commands, CommandType.EVAL, script.text(), keys, request),
                    reply,
                    (bytes, failure) -> complete(script, reply, bytes, failure));
        } catch (RuntimeException unavailable) {
            reply.completeExceptionally(unavailable);
        }
    }

    /**
     * Builds the command by hand, because request and reply are bytes on a connection of strings. Only the first key is
     * added as a key, which a Cluster needs to find the node. The codec would allocate a buffer for each further one.
     */
    private static RedisFuture<byte[]> send(
            RedisClusterAsyncCommands<String, String> commands,
            CommandType eval,
            String script,
            String[] keys,
            byte[] request) {
        CommandArgs<String, String> args =
                new CommandArgs<>(StringCodec.UTF8).add(script).add(keys.length).addKey(keys[0]);
        for (int i = 1; i < keys.length; i++) {
            args.add(keys[i].getBytes(StandardCharsets.UTF_8));
        }
        return commands.dispatch(eval, new ByteArrayOutput<>(StringCodec.UTF8), args.add(request));
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
        underWay.forEach(reply ->
                reply.completeExceptionally(new StoreUnavailableException("the connection to Redis was lost")));
    }

    private static void complete(
            EngineScript script, CompletableFuture<byte[]> reply, byte[] bytes, Throwable failure) {
        if (failure == null) {
            reply.complete(bytes);
        } else {
            reply.completeExceptionally(script.named(failure));
        }
    }
}
