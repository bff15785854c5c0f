package io.ratelimit.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/** Runs a script by its digest, and whole on a node that does not know it (yet, or any more). Thread-safe. */
final class ScriptRunner {

    private final RedisConnections connections;

    ScriptRunner(RedisConnections connections) {
        this.connections = connections;
    }

    /** The reply; cancelling it cancels the command, unless Redis has it already. */
    CompletableFuture<List<Long>> run(EngineScript script, String[] keys, String[] args) {
        CompletableFuture<List<Long>> reply = new CompletableFuture<>();
        try {
            RedisClusterAsyncCommands<String, String> commands = connections.commands();
            follow(commands.evalsha(script.sha(), ScriptOutputType.MULTI, keys, args), reply, (numbers, failure) -> {
                if (failure instanceof RedisNoScriptException) {
                    runWhole(commands, script, keys, args, reply);
                } else {
                    complete(reply, numbers, failure);
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
            String[] args,
            CompletableFuture<List<Long>> reply) {
        try {
            RedisFuture<List<Long>> whole = commands.eval(script.text(), ScriptOutputType.MULTI, keys, args);
            follow(whole, reply, (numbers, failure) -> complete(reply, numbers, failure));
        } catch (RuntimeException unavailable) {
            reply.completeExceptionally(unavailable);
        }
    }

    private static void follow(
            RedisFuture<List<Long>> command,
            CompletableFuture<List<Long>> reply,
            BiConsumer<List<Long>, Throwable> action) {
        command.whenComplete(action);
        reply.whenComplete((numbers, failure) -> {
            if (reply.isCancelled()) {
                command.cancel(true);
            }
        });
    }

    private static void complete(CompletableFuture<List<Long>> reply, List<Long> numbers, Throwable failure) {
        if (failure == null) {
            reply.complete(numbers);
        } else {
            reply.completeExceptionally(failure);
        }
    }
}
