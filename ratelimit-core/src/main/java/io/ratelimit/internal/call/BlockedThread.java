package io.ratelimit.internal.call;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a caller that blocks: it is woken to run what is left of the way of its call, and of those that layers made
 * for it. Once the call has its answer, the threads for callbacks run the others. Thread-safe.
 */
final class BlockedThread implements Executor, Consumer<Call> {

    private static final AtomicReferenceFieldUpdater<BlockedThread, @Nullable Call> TURNS =
            AtomicReferenceFieldUpdater.newUpdater(BlockedThread.class, Call.class, "turns");

    private static final AtomicIntegerFieldUpdater<BlockedThread> ENDED =
            AtomicIntegerFieldUpdater.newUpdater(BlockedThread.class, "ended");

    /** The calls to run, linked by {@link Call#nextTurn}, the last one first. */
    private volatile @Nullable Call turns;

    private final Thread thread = Thread.currentThread();
    private final Executor callbacks;
    private volatile boolean waiting;
    private volatile int ended;

    /** @param callbacks runs what comes when the call has its answer */
    BlockedThread(Executor callbacks) {
        this.callbacks = callbacks;
    }

    @Override
    public void execute(Runnable task) {
        Call call = (Call) task;
        Call before;
        do {
            before = turns;
            call.nextTurn = before;
        } while (!TURNS.compareAndSet(this, before, call));
        if (ended == 1) {
            leaveTurns();
        } else {
            wake();
        }
    }

    /** Ends the wait: the call has its answer. A store that answers at once does so on the caller's thread, without a fence. */
    @Override
    public void accept(Call ofCaller) {
        if (Thread.currentThread() == thread && !waiting) {
            ENDED.lazySet(this, 1);
        } else {
            ended = 1;
            wake();
        }
    }

    private void wake() {
        if (waiting) {
            LockSupport.unpark(thread);
        }
    }

    /** Runs the turns of the call until it has its answer. If the thread is interrupted, hurries the call. */
    void await(Call call) {
        if (ended == 1) {
            leaveTurns();
            return;
        }
        waiting = true;
        boolean interrupted = false;
        while (ended == 0) {
            Call next = TURNS.getAndSet(this, null);
            if (next != null) {
                run(next);
            } else {
                LockSupport.park(this);
                if (Thread.interrupted()) {
                    interrupted = true;
                    call.hurry();
                }
            }
        }
        leaveTurns();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void leaveTurns() {
        Call left = turns == null ? null : TURNS.getAndSet(this, null);
        if (left != null) {
            callbacks.execute(() -> run(left));
        }
    }

    /** Runs turns in the order in which they came. */
    private static void run(Call last) {
        Call first = null;
        for (Call call = last; call != null; ) {
            Call before = call.nextTurn;
            call.nextTurn = first;
            first = call;
            call = before;
        }
        while (first != null) {
            Call next = first.nextTurn;
            first.nextTurn = null;
            first.run();
            first = next;
        }
    }
}
