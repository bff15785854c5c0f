package io.ratelimit.benchmarks;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.internal.redis.StoreAlone;
import io.ratelimit.redis.RedisConnections;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Hears what this library would send to Redis, so that the very same script call can be sent without the library
 * around it. Nothing it hears is sent by itself.
 *
 * <p>For a batch, calls are left unanswered until the library holds the next one back; those behind it leave together.
 */
final class WireTap implements AutoCloseable {

    private final Deque<EngineCall> heard = new ConcurrentLinkedDeque<>();
    private final Queue<AsyncCommand<?, ?, ?>> unanswered = new ConcurrentLinkedQueue<>();
    private final StoreAlone limiter = StoreAlone.on(new Tapped(), "rate_limit", Duration.ofMinutes(1));

    /**
     * The one call that decides all of these. The library's own thread may send one of them meanwhile; then they are heard
     * again.
     */
    synchronized EngineCall callFor(List<Acquisition> batch) {
        int keys = batch.stream().mapToInt(call -> call.charges().size()).sum();
        EngineCall call;
        do {
            heard.clear();
            hangUpAll(send(batch));
            call = heard.getLast();
        } while (call.keys() != keys);
        return call;
    }

    private List<CompletableFuture<Decision>> send(List<Acquisition> batch) {
        List<CompletableFuture<Decision>> sent = new ArrayList<>();
        int before;
        do {
            before = heard.size();
            sent.add(send(batch.get(0)));
        } while (batch.size() > 1 && heard.size() > before);
        batch.stream().skip(1).forEach(call -> sent.add(send(call)));
        return sent;
    }

    private CompletableFuture<Decision> send(Acquisition call) {
        return limiter.acquireAsync(call).toCompletableFuture();
    }

    EngineCall callFor(Acquisition acquisition) {
        return callFor(List.of(acquisition));
    }

    @Override
    public void close() {
        limiter.close();
    }

    private void hangUpAll(List<CompletableFuture<Decision>> calls) {
        while (!calls.stream().allMatch(CompletableFuture::isDone)) {
            AsyncCommand<?, ?, ?> command = unanswered.poll();
            if (command != null) {
                command.completeExceptionally(new RedisCommandExecutionException("only heard, never sent"));
            }
        }
    }

    private Object hear(Method method, Object[] args) {
        if (!method.getName().equals("dispatch")
                || args[0] != CommandType.EVALSHA
                || !(args[2] instanceof CommandArgs<?, ?> words)) {
            throw new IllegalStateException("the library sends something else than EVALSHA: '%s'".formatted(method));
        }
        heard.add(new EngineCall(words));
        AsyncCommand<?, ?, ?> command =
                new AsyncCommand<>(new Command<>(CommandType.EVALSHA, new ByteArrayOutput<>(StringCodec.UTF8)));
        unanswered.add(command);
        return command;
    }

    private final class Tapped implements RedisConnections {

        @SuppressWarnings("unchecked") // a proxy cannot say its type arguments
        private final RedisClusterAsyncCommands<String, String> commands =
                (RedisClusterAsyncCommands<String, String>) Proxy.newProxyInstance(
                        WireTap.class.getClassLoader(),
                        new Class<?>[] {RedisClusterAsyncCommands.class},
                        (proxy, method, args) -> hear(method, args));

        @Override
        public RedisClusterAsyncCommands<String, String> commands() {
            return commands;
        }

        @Override
        public boolean isCluster() {
            return false;
        }
    }
}
