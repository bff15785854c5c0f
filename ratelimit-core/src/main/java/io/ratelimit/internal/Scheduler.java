package io.ratelimit.internal;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs something later. Implementations are thread-safe. */
@FunctionalInterface
public interface Scheduler extends AutoCloseable {

    void ringAfter(long nanos, Runnable action);

    @Override
    default void close() {}

    /** One thread that does not keep the process alive; once closed, nothing rings any more. */
    static Scheduler ofOwnThread() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, action -> {
            Thread thread = new Thread(action, "ratelimit-leases");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRejectedExecutionHandler((action, closed) -> {});
        return new Scheduler() {
            @Override
            public void ringAfter(long nanos, Runnable action) {
                executor.schedule(action, nanos, TimeUnit.NANOSECONDS);
            }

            @Override
            public void close() {
                executor.shutdownNow();
            }
        };
    }
}
