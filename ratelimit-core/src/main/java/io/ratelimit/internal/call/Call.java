package io.ratelimit.internal.call;

import io.ratelimit.Decision;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One operation on its way through the layers, and its answer on its way back. It is in one place at a time: on a thread that
 * runs a layer, at the store, or kept by a layer.
 *
 * <p>What is left of the way once the store has answered is run by the caller's thread if that waits, which is woken for it,
 * and otherwise by the threads for callbacks; never by a thread of the store or a timer. A call that a layer makes for another
 * one runs on the same threads as that one, and has the same deadline.
 */
public abstract sealed class Call implements Runnable permits Decide, Settle, SubjectChange {

    private static final AtomicIntegerFieldUpdater<Call> MISSING =
            AtomicIntegerFieldUpdater.newUpdater(Call.class, "missing");

    /** What its caller started: this call, or the one for which a layer made it. */
    final Call root;

    /** Runs the call after it was elsewhere: the thread that waits for the root, or the threads for callbacks. */
    private final Executor threads;

    private final @Nullable Layer madeBy;
    private final Consumer<Call> then;

    private @Nullable Decision decision;
    private @Nullable Throwable failure;
    private long deadlineNanos;

    /** What goes on with the call; null if its answer passes on from the layer {@link #from}. */
    private @Nullable Runnable turn;

    private @Nullable Layer from;

    /** The next of the calls that {@link BlockedThread} is to run. */
    @Nullable
    Call nextTurn;

    /** How many answers are missing beside the one that comes next. */
    private volatile int missing;

    /**
     * Creates a call.
     *
     * @param threads runs the call after it was elsewhere: a {@link BlockedThread}, or the threads for callbacks
     * @param madeBy the layer at which the answer ends; null for the call of an application
     * @param then gets the call with its answer
     */
    Call(Executor threads, @Nullable Layer madeBy, Consumer<Call> then) {
        this.root = this;
        this.threads = threads;
        this.madeBy = madeBy;
        this.then = then;
    }

    /** Creates a call that a layer makes for another call. */
    Call(Call other, @Nullable Layer madeBy, Consumer<Call> then) {
        this.root = other.root;
        this.threads = other.threads;
        this.madeBy = madeBy;
        this.then = then;
    }

    /** Returns whether it is about limits that only report. */
    public boolean reports() {
        return false;
    }

    /** Returns the decision that is the answer; null if the call has failed, or has no result. */
    public final @Nullable Decision decision() {
        return decision;
    }

    /** Returns the failure that is the answer; null if the call has succeeded. */
    public final @Nullable Throwable failure() {
        return failure;
    }

    /** Makes this decision the answer. */
    public final void decided(Decision made) {
        decision = made;
        failure = null;
    }

    /** Makes this failure the answer. */
    public final void failed(Throwable cause) {
        decision = null;
        failure = cause;
    }

    /** Makes it the answer that the operation is done. */
    public final void succeeded() {
        decision = null;
        failure = null;
    }

    /** Takes over the answer of another call. */
    public final void answeredAs(Call other) {
        decision = other.decision;
        failure = other.failure;
    }

    /** Returns until when the store must answer, by {@code System.nanoTime()}: so long after this is asked first. */
    public final long deadlineNanos(long timeoutNanos) {
        long known = root.deadlineNanos; // read once: another thread may begin a new time meanwhile
        if (known == 0) {
            known = System.nanoTime() + timeoutNanos | 1; // never 0
            root.deadlineNanos = known;
        }
        return known;
    }

    /** Begins a new time for the store to answer. */
    public final void renewDeadline() {
        root.deadlineNanos = 0;
    }

    /** Returns whether the caller has given the call up, so that it is not to be charged. */
    public final boolean isGivenUp() {
        return root instanceof Decide decide && decide.gaveUp();
    }

    /** Returns whether a thread of the caller waits for the answer. */
    public final boolean blocksThread() {
        return threads instanceof BlockedThread;
    }

    /** Makes the answer wait for so many answers; the first failure of them counts. */
    public final void expect(int answers) {
        missing = answers - 1;
    }

    /** Answers by a decision, or that it is done, on a thread that is not one of the call. {@code via} runs callbacks. */
    public final void deliver(Layer store, @Nullable Decision made, @Nullable Executor via) {
        decision = made;
        deliver(store, via);
    }

    /** Answers by a failure, on a thread that is not one of the call. */
    public final void deliverFailure(Layer store, Throwable cause) {
        decision = null;
        failure = cause;
        deliver(store, null);
    }

    private void deliver(Layer store, @Nullable Executor via) {
        if (missing > 0 && MISSING.getAndDecrement(this) > 0) {
            return;
        }
        from = store;
        hand(via);
    }

    /** Goes on with the call on a thread of its own. */
    public final void goOn(Runnable next) {
        turn = next;
        hand(null);
    }

    private void hand(@Nullable Executor via) {
        (via == null || threads instanceof BlockedThread ? threads : via).execute(this);
    }

    /** Runs what is left of the way. For executors. */
    @Override
    public final void run() {
        try {
            Runnable next = turn;
            if (next == null) {
                Objects.requireNonNull(from).back(this);
            } else {
                turn = null;
                next.run();
            }
        } catch (RuntimeException | Error broken) {
            root.failed(broken);
            root.end(); // has no effect if it has ended
            if (root instanceof Decide decide) {
                decide.giveUp(); // what keeps it lets others go on
            }
        }
    }

    /** Ends the call where it began: it has its answer. */
    final void end() {
        then.accept(this);
    }

    /** Is decided soon, because its caller waits no longer. */
    void hurry() {}

    final boolean isMadeBy(Layer layer) {
        return madeBy == layer;
    }
}
