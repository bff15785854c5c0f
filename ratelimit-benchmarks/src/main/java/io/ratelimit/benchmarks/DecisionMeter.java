package io.ratelimit.benchmarks;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the decisions of a load while it runs. A refusal or a failure spoils the turn. Thread-safe. */
final class DecisionMeter {

    private final LongAdder decisions = new LongAdder();
    private final AtomicReference<@Nullable Throwable> spoiled = new AtomicReference<>();
    private volatile boolean running = true;

    boolean isRunning() {
        return running;
    }

    void count(boolean admitted) {
        if (!admitted) {
            spoil(new IllegalStateException("a decision that should admit has refused"));
        }
        decisions.increment();
    }

    void spoil(Throwable cause) {
        spoiled.compareAndSet(null, cause);
        running = false;
    }

    void stop() {
        running = false;
    }

    /** Waits until the load has settled, and then as long as it counts. */
    double perSecond(Pace pace) {
        sleep(pace.settle());
        long before = decisions.sum();
        long startNanos = System.nanoTime();
        sleep(pace.measure());
        long counted = decisions.sum() - before;
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        stop();
        Throwable cause = spoiled.get();
        if (cause != null) {
            throw new IllegalStateException("the turn was spoiled", cause);
        }
        return counted / seconds;
    }

    static void sleep(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
