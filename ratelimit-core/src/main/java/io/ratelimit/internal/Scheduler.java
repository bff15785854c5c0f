package io.ratelimit.internal;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs short actions after a delay. Actions must not run callers' code. Implementations must be thread-safe. */
@FunctionalInterface
public interface Scheduler {

    /** Schedules the action; cancelling the result drops it. */
    Future<?> schedule(long delayNanos, Runnable action);

    static Scheduler on(ScheduledExecutorService executor) {
        return (delayNanos, action) -> executor.schedule(action, delayNanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Returns an executor of one daemon thread; drops actions that are scheduled after it was shut down. A cancelled
     * action stays in the queue, without what it refers to, until its time: its removal would take the queue's lock,
     * and an event loop that cancels a time-out must not wait for a lock.
     */
    static ScheduledExecutorService newThread() {
        ScheduledThreadPoolExecutor executor =
                new ScheduledThreadPoolExecutor(1, DaemonThreads.named("ratelimit-timeouts"));
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setRejectedExecutionHandler((action, shutDown) -> {});
        return executor;
    }
}
