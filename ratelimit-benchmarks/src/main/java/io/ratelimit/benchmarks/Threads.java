package io.ratelimit.benchmarks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Starts and joins callers. Virtual threads are found reflectively, because this module compiles for JDK 17. */
final class Threads {

    private Threads() {}

    static Thread platform(Runnable task) {
        Thread thread = new Thread(task);
        thread.start();
        return thread;
    }

    /** Whether this JDK has virtual threads. */
    static boolean haveVirtual() {
        return Runtime.version().feature() >= 21;
    }

    static Thread virtual(Runnable task) {
        try {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            return (Thread) start.invoke(null, task);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException failed) {
            throw new IllegalStateException("this JDK has no virtual threads", failed);
        }
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
