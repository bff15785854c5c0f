package io.ratelimit.internal;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Completes the stages of callers, so that their callbacks never run on an I/O thread of the store or on the thread
 * that watches timeouts. Thread-safe.
 *
 * <p>One worker completes all queued stages, because waking a thread for each would cost more than a decision. A
 * callback that blocks does not delay the others for long: while the queue makes no progress, the number of workers
 * doubles every 2 ms. Worker threads are daemons and end after 100 ms without work. While none can be made, what is queued waits.
 */
public final class CompletionExecutor implements Executor, AutoCloseable {

    private static final long CHECK_MILLIS = 2;
    private static final long IDLE_MILLIS = 100;

    private final ScheduledExecutorService scheduler;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger workers = new AtomicInteger();
    private final AtomicBoolean checking = new AtomicBoolean();
    private final LongAdder completed = new LongAdder();
    private final ThreadPoolExecutor threads;
    private volatile boolean closed;

    /** @param scheduler checks every 2 ms, while anything is queued, that the workers make progress */
    public CompletionExecutor(ScheduledExecutorService scheduler) {
        this(scheduler, DaemonThreads.named("ratelimit-callbacks"));
    }

    CompletionExecutor(ScheduledExecutorService scheduler, ThreadFactory factory) {
        this.scheduler = scheduler;
        this.threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_MILLIS, TimeUnit.MILLISECONDS, new SynchronousQueue<>(), factory);
    }

    @Override
    public void execute(Runnable completion) {
        queue.add(completion);
        workOn();
    }

    /**
     * Passes all completions to the executor. If it is one of this class, they are queued together, and a worker is
     * woken only once.
     */
    public static void executeAll(Executor executor, List<Runnable> completions) {
        if (executor instanceof CompletionExecutor own && !completions.isEmpty()) {
            own.queue.addAll(completions);
            own.workOn();
        } else {
            completions.forEach(executor::execute);
        }
    }

    /**
     * Checks without the scheduler from now on, because it may be shut down. What is queued now or later is still
     * completed.
     */
    @Override
    public void close() {
        closed = true;
        if (checking.get()) {
            checkLater(completed.sum(), 1);
        }
    }

    private void workOn() {
        if (workers.get() == 0 && workers.compareAndSet(0, 1)) {
            startCounted();
        }
        if (!checking.get() && checking.compareAndSet(false, true)) {
            checkLater(completed.sum(), 1);
        }
    }

    private void work() {
        do {
            for (Runnable next = queue.poll(); next != null; next = queue.poll()) {
                next.run();
                completed.increment();
            }
            workers.decrementAndGet();
        } while (!queue.isEmpty() && workers.compareAndSet(0, 1));
    }

    private void checkLater(long completedBefore, int moreWorkers) {
        Runnable check = () -> check(completedBefore, moreWorkers);
        if (!closed) {
            scheduler.schedule(check, CHECK_MILLIS, TimeUnit.MILLISECONDS);
        }
        if (closed) { // perhaps only now, and the scheduler has dropped the check
            CompletableFuture.delayedExecutor(CHECK_MILLIS, TimeUnit.MILLISECONDS, threads)
                    .execute(check);
        }
    }

    private void check(long completedBefore, int moreWorkers) {
        if (queue.isEmpty()) {
            checking.set(false);
            if (!queue.isEmpty() && checking.compareAndSet(false, true)) {
                checkLater(completedBefore, moreWorkers);
            }
            return;
        }
        long now = completed.sum();
        if (now != completedBefore) {
            checkLater(now, 1);
            return;
        }
        int started = 0;
        while (started < moreWorkers && startWorker()) {
            started++;
        }
        checkLater(now, Math.max(1, 2 * started));
    }

    private boolean startWorker() {
        workers.incrementAndGet();
        return startCounted();
    }

    /** Starts a worker that is counted already. Returns false if the process can have no more threads: the next check tries again. */
    private boolean startCounted() {
        try {
            threads.execute(this::work);
            return true;
        } catch (OutOfMemoryError noThread) {
            workers.decrementAndGet();
            return false;
        }
    }
}
