package io.ratelimit.testing;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** Runs tasks on the calling thread, one after the other: those that a task starts run after it. */
public final class InTurn implements Executor {

    private static final ThreadLocal<Queue<Runnable>> TASKS = new ThreadLocal<>();

    @Override
    public void execute(Runnable task) {
        Queue<Runnable> others = TASKS.get();
        if (others != null) {
            others.add(task);
            return;
        }
        Queue<Runnable> own = new ArrayDeque<>();
        TASKS.set(own);
        try {
            for (Runnable next = task; next != null; next = own.poll()) {
                next.run();
            }
        } finally {
            TASKS.remove();
        }
    }
}
