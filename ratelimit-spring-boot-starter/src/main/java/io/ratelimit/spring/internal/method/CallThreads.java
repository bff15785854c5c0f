package io.ratelimit.spring.internal.method;

import io.ratelimit.internal.DaemonThreads;
import io.ratelimit.spring.CurrentRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/**
 * Provides the threads that continue a call after a decision that its caller did not wait for. They are never threads
 * of the store's client, where a method that blocks would stop all decisions.
 */
public final class CallThreads {

    static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", CallThreads.class.getClassLoader());

    /** Without a bound: a method that waits for another limited call must not hold the thread that this call needs. */
    private static final Executor UNBOUNDED =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads());

    private CallThreads() {}

    /** The same stage, but what follows it runs in this thread's context, and off the thread that completes it. */
    public static <T> CompletionStage<T> handOver(CompletionStage<T> stage) {
        return handOver(stage, CurrentRequest.none());
    }

    /** The same, but what follows runs on that executor. */
    public static <T> CompletionStage<T> handOver(CompletionStage<T> stage, Executor executor) {
        return handOver(stage, CurrentRequest.none(), executor);
    }

    /** The same, but without this thread's request where that is over by then. */
    static <T> CompletionStage<T> handOver(CompletionStage<T> stage, CurrentRequest current) {
        return handOver(stage, current, executor());
    }

    private static <T> CompletionStage<T> handOver(
            CompletionStage<T> stage, CurrentRequest current, Executor executor) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        return future.isDone()
                ? future
                : future.whenCompleteAsync(
                        (result, failure) -> {}, CallerContext.capture(current).on(executor));
    }

    /** Threads that may block, unless the calling thread is one of Reactor's that may not. */
    private static Executor executor() {
        return mustNotBlock() ? Reactive.parallel() : UNBOUNDED;
    }

    /** True if the calling thread is one of Reactor's that must not block, such as a server's event loop. */
    public static boolean mustNotBlock() {
        return REACTOR && Reactive.isNonBlocking();
    }

    private static ThreadFactory threads() {
        AtomicInteger made = new AtomicInteger();
        return task -> DaemonThreads.create("rate-limited-" + made.incrementAndGet(), task);
    }

    /** A class of its own, because Reactor is optional. */
    private static final class Reactive {
        static boolean isNonBlocking() {
            return Schedulers.isInNonBlockingThread();
        }

        static Executor parallel() {
            return Schedulers.parallel()::schedule;
        }
    }
}
