package io.ratelimit.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;

/** The same thing done by many threads that start together. */
public final class Threads {

    private Threads() {}

    /** Whether this JDK has virtual threads (21 and newer). */
    public static boolean haveVirtual() {
        return Runtime.version().feature() >= 21;
    }

    /** Returns what makes a thread of each kind that this JDK has, not started yet. */
    public static Stream<Named<Function<Runnable, Thread>>> kinds() {
        Named<Function<Runnable, Thread>> platform = Named.of("a platform thread", Thread::new);
        return haveVirtual()
                ? Stream.of(platform, Named.of("a virtual thread", Threads::virtual))
                : Stream.of(platform);
    }

    /** Returns a virtual thread that is not started yet. */
    public static Thread virtual(Runnable task) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder")
                    .getMethod("unstarted", Runnable.class)
                    .invoke(builder, task);
        } catch (ReflectiveOperationException missing) {
            throw new LinkageError("this JDK has no virtual threads", missing);
        }
    }

    /** What each of them answered; a deadlock is a failure after five minutes. */
    public static <T> List<T> run(int threads, IntFunction<Callable<T>> taskOfThread) {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch together = new CountDownLatch(threads);
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Callable<T> task = taskOfThread.apply(i);
                futures.add(executor.submit(() -> {
                    together.countDown();
                    together.await();
                    return task.call();
                }));
            }
            List<T> answers = new ArrayList<>();
            for (Future<T> future : futures) {
                answers.add(future.get(5, TimeUnit.MINUTES));
            }
            return answers;
        } catch (ExecutionException failed) {
            throw new AssertionError("a thread failed", failed.getCause());
        } catch (TimeoutException stuck) {
            throw new AssertionError("threads are stuck", stuck);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        } finally {
            executor.shutdownNow();
        }
    }
}
