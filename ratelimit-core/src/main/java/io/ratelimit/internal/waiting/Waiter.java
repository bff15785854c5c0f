package io.ratelimit.internal.waiting;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.internal.AbandonableFuture;
import io.ratelimit.internal.StateId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that may wait until it fits. Cancelling it, or a stage that was made from it, ends the wait, unless the call
 * has been decided. Thread-safe.
 */
final class Waiter extends AbandonableFuture<Decision> {

    final Acquisition acquisition;

    /** The state of each charge. */
    final List<StateId> states;

    /** Identifies the line in which the call waits: the set of its states. */
    final Set<StateId> line;

    private volatile long deadlineNanos;
    private volatile long admittedNanos;
    private volatile boolean inFlight;

    // guarded by this
    private boolean attemptAgain;
    private @Nullable Future<?> alarm;

    Waiter(Acquisition acquisition, long nowNanos, Executor completions) {
        super(completions);
        this.acquisition = acquisition;
        this.states = acquisition.charges().stream().map(StateId::of).toList();
        this.line = Lines.states(acquisition);
        this.deadlineNanos = nowNanos + acquisition.maxWait().toNanos();
        this.admittedNanos = nowNanos;
    }

    /** Returns how long the call may go on waiting. */
    Duration left(long nowNanos) {
        return Duration.ofNanos(Math.max(0, deadlineNanos - nowNanos));
    }

    /** Ends the time in which the call may wait. */
    void waitNoLonger(long nowNanos) {
        deadlineNanos = nowNanos;
    }

    /** Returns the time until the call is admitted if nobody else calls, by the store's last answer. */
    Duration admittedAfter(long nowNanos) {
        return Duration.ofNanos(Math.max(0, admittedNanos - nowNanos));
    }

    void admittedAt(long nanos) {
        admittedNanos = nanos;
    }

    /** Returns whether an attempt of this call is in flight. */
    boolean isInFlight() {
        return inFlight;
    }

    /** Begins an attempt and returns true. Returns false if one is in flight, which is then followed by another. */
    synchronized boolean beginAttempt() {
        if (inFlight || isAbandoned()) {
            attemptAgain = true;
            return false;
        }
        stopAlarm();
        inFlight = true;
        attemptAgain = false;
        return true;
    }

    /**
     * Ends an attempt that was refused. Sets the alarm for the next one, or returns false if that is to follow at once.
     */
    synchronized boolean endAttempt(Supplier<Future<?>> nextAlarm) {
        inFlight = false;
        if (!attemptAgain) {
            setAlarm(nextAlarm);
        }
        return !attemptAgain;
    }

    /** Sets the alarm unless one is set or an attempt is in flight. */
    synchronized void setAlarm(Supplier<Future<?>> next) {
        if (alarm == null && !inFlight && !isAbandoned()) {
            alarm = next.get();
        }
    }

    synchronized void stopAlarm() {
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
    }
}
