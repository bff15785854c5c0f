package io.ratelimit.faults;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Watches for times in which the machine stands still: a thread that sleeps half a millisecond wakes much later. */
final class Stalls {

    private static final long SLEEP_NANOS = 500_000;
    private static final long STALL_NANOS = Stack.TIMEOUT.dividedBy(2).toNanos();

    /** Long enough for a breaker that a stall opened to try Redis again. */
    private static final long AFTERMATH_NANOS = Duration.ofMillis(300).toNanos();

    private final AtomicLong longestNanos = new AtomicLong();
    private final Thread watch = new Thread(this::look, "load-stalls");
    private volatile long lookedNanos = System.nanoTime();
    private volatile long endedNanos = lookedNanos - TimeUnit.HOURS.toNanos(1);
    private volatile boolean over;

    Stalls() {
        watch.start();
    }

    long longestNanos() {
        return longestNanos.get();
    }

    /** Returns whether the machine stood still for half a timeout at any time of a call that ends now, or shortly before. */
    boolean touched(long startNanos, long endNanos) {
        return endNanos - lookedNanos > STALL_NANOS || endedNanos - (startNanos - AFTERMATH_NANOS) > 0;
    }

    void stop() throws InterruptedException {
        over = true;
        watch.join();
    }

    private void look() {
        while (!over) {
            LockSupport.parkNanos(SLEEP_NANOS);
            long now = System.nanoTime();
            long stalledNanos = now - lookedNanos - SLEEP_NANOS;
            longestNanos.accumulateAndGet(stalledNanos, Math::max);
            if (stalledNanos > STALL_NANOS) {
                endedNanos = now;
            }
            lookedNanos = now;
        }
    }
}
