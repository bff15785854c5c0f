package io.ratelimit.internal.waiting;

import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.StateId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that may wait until it fits. It joins a line, rests, has been asked to go on and will do so on a thread of its own, or
 * is in flight: on its way to the store and back. Only while it rests may another thread make it go on. Thread-safe.
 */
final class Waiter implements Decide.Keeper {

    private enum State {
        JOINING,
        RESTING,
        CALLED,
        IN_FLIGHT,
        ENDED
    }

    final Decide call;

    /** The state of each charge. */
    final List<StateId> states;

    /** Identifies the line in which the call waits. */
    final Set<Lines.Place> line;

    /** Whether the call holds a thread while it waits of which there are few. */
    final boolean holdsScarceThread;

    /** Whether it may be counted already, and is then admitted even while other calls wait. */
    final boolean namesElement;

    /** Completes when the call is answered, or given up. */
    final CompletableFuture<Void> ended = new CompletableFuture<>();

    private final Waiting layer;
    private volatile long deadlineNanos;
    private volatile long admittedNanos;

    /** Whether calls ahead of it waited when it came. */
    private volatile boolean behind;

    /** Whether the store has refused the call. */
    private volatile boolean refused;

    /** Whether its forecast left out calls ahead of it that were in flight. */
    private volatile boolean unsure;

    // guarded by this
    private State state = State.JOINING;
    private boolean calledAgain;
    private @Nullable Future<?> alarm;

    Waiter(Decide call, Waiting layer, boolean holdsScarceThread, long nowNanos) {
        this.call = call;
        this.holdsScarceThread = holdsScarceThread;
        this.layer = layer;
        this.states = call.acquisition().charges().stream().map(StateId::of).toList();
        this.line = Lines.of(call.acquisition());
        this.namesElement = call.acquisition().charges().stream()
                .anyMatch(charge -> charge.element().isPresent());
        this.deadlineNanos = nowNanos + call.acquisition().maxWait().toNanos();
        this.admittedNanos = nowNanos;
    }

    @Override
    public void hurry(Decide hurried) {
        layer.decideSoon(this);
    }

    @Override
    public void forget(Decide givenUp) {
        layer.forget(this);
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

    void refusedUntil(long nanos) {
        refused = true;
        admittedNanos = nanos;
    }

    /** Returns whether the call waits, or makes another attempt after it has: calls that come later stay behind it. */
    boolean waits() {
        return behind || refused;
    }

    boolean isRefused() {
        return refused;
    }

    boolean isUnsure() {
        return unsure;
    }

    void unsure(boolean leftOutOthers) {
        unsure = leftOutOthers;
    }

    /** Joins a line, to rest behind others or to make its first attempt. */
    synchronized void joins(boolean behindOthers) {
        behind = behindOthers;
        state = behindOthers ? State.JOINING : State.IN_FLIGHT;
    }

    synchronized boolean isInFlight() {
        return state == State.IN_FLIGHT;
    }

    /** Calls a resting waiter to go on, which the caller must make it do. Returns false if it does so anyway. */
    synchronized boolean callOn() {
        if (state != State.RESTING) {
            calledAgain = true;
            return false;
        }
        stopAlarm();
        state = State.CALLED;
        return true;
    }

    /** Sends the call on its way; returns false if it has ended. */
    synchronized boolean depart() {
        if (state == State.ENDED) {
            return false;
        }
        stopAlarm();
        state = State.IN_FLIGHT;
        calledAgain = false;
        return true;
    }

    /** Lets the waiter rest until the alarm. Returns false if it was called meanwhile, and must go on at once. */
    synchronized boolean rest(Supplier<Future<?>> nextAlarm) {
        if (state == State.ENDED) {
            return true;
        }
        if (calledAgain) {
            calledAgain = false;
            state = State.CALLED;
            return false;
        }
        state = State.RESTING;
        alarm = nextAlarm.get();
        return true;
    }

    /** Ends a waiter that rests; returns whether it did. */
    synchronized boolean endResting() {
        return state == State.RESTING && end();
    }

    /** Ends the waiter; returns false if it has ended before. */
    synchronized boolean end() {
        if (state == State.ENDED) {
            return false;
        }
        stopAlarm();
        state = State.ENDED;
        return true;
    }

    private void stopAlarm() {
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
    }
}
