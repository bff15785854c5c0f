package io.ratelimit.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Passes tasks to an executor of the application, and those that it rejects to another one. A stage whose completion is
 * rejected would otherwise never complete. Thread-safe.
 *
 * @param chosen may be full or shut down
 * @param behind rejects nothing
 */
record FallbackExecutor(Executor chosen, Executor behind) implements Executor {

    @Override
    public void execute(Runnable task) {
        try {
            chosen.execute(task);
        } catch (RejectedExecutionException rejected) {
            behind.execute(task);
        }
    }
}
