package io.ratelimit.internal;

import java.util.concurrent.Executor;

/**
 * Passes completions of stages to an executor of the application, and those at which it throws to another one. Such a stage
 * would otherwise never complete. Completing a stage twice has no effect, should the executor throw after it. Thread-safe.
 *
 * @param chosen may be full or shut down, or fail to start a thread
 * @param behind rejects nothing
 */
record FallbackExecutor(Executor chosen, Executor behind) implements Executor {

    @Override
    public void execute(Runnable task) {
        try {
            chosen.execute(task);
        } catch (RuntimeException | Error rejected) {
            behind.execute(task);
        }
    }
}
