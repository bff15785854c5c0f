package io.ratelimit.internal.numbers;

/**
 * A look-up under way, which either ends in time or is interrupted. One that is interrupted has failed, even if it goes on, as
 * one that waits for a socket does. Thread-safe.
 */
final class RunningLookUp {

    private final Thread thread;
    private boolean decided;

    RunningLookUp(Thread thread) {
        this.thread = thread;
    }

    /** Interrupts it, unless it has ended; true if it did. */
    synchronized boolean isInterruptedNow() {
        if (decided) {
            return false;
        }
        decided = true;
        thread.interrupt();
        return true;
    }

    /** True unless it was interrupted, which from now on it is not. */
    synchronized boolean isEndedInTime() {
        boolean inTime = !decided;
        decided = true;
        return inTime;
    }
}
