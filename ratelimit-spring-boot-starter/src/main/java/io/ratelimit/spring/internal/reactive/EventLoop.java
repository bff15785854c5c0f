package io.ratelimit.spring.internal.reactive;

import io.ratelimit.Decision;
import io.ratelimit.spring.internal.method.CallThreads;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;
import reactor.netty.http.server.HttpServerRequest;

/**
 * Goes on with a request on the event loop of its connection, as without a limit. On another thread, Reactor Netty sometimes begins a
 * WebSocket that never reads.
 */
final class EventLoop {

    private static final boolean NETTY =
            ClassUtils.isPresent("reactor.netty.http.server.HttpServerRequest", EventLoop.class.getClassLoader());

    private EventLoop() {}

    static CompletionStage<Decision> handOver(CompletionStage<Decision> decision, ServerHttpRequest request) {
        Executor loop = NETTY && !decision.toCompletableFuture().isDone() ? of(request) : null;
        return loop == null ? CallThreads.handOver(decision) : CallThreads.handOver(decision, loop);
    }

    /** Returns null for a request of another server, or of a test without one. */
    private static @Nullable Executor of(ServerHttpRequest request) {
        try {
            return Netty.loop(ServerHttpRequestDecorator.getNativeRequest(request));
        } catch (IllegalArgumentException | IllegalStateException unknown) {
            return null;
        }
    }

    /** A class of its own, because Reactor Netty is optional. */
    private static final class Netty {

        static @Nullable Executor loop(Object request) {
            AtomicReference<@Nullable Executor> loop = new AtomicReference<>();
            if (request instanceof HttpServerRequest netty) {
                netty.withConnection(connection -> loop.set(connection.channel().eventLoop()));
            }
            return loop.get();
        }
    }
}
