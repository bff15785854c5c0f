package io.ratelimit.internal;

import java.util.concurrent.ThreadFactory;

/**
 * Creates the limiter's own threads. They have the class loader of the thread that needs them first, and none of its inheritable
 * thread-locals: such a thread lives on and serves other callers, who would see a tenant or token that is not theirs.
 */
public final class DaemonThreads {

    private DaemonThreads() {}

    /** Returns a factory of threads that all have this name. */
    public static ThreadFactory named(String name) {
        return task -> create(name, task);
    }

    /** Returns a thread that is not started. */
    public static Thread create(String name, Runnable task) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        return thread;
    }
}
