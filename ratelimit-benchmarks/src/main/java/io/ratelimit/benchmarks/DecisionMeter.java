package io.ratelimit.benchmarks;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Counts and times the decisions of a load while it runs. A refusal or a failure spoils the turn. Thread-safe. */
final class DecisionMeter {

    /** Medians are exact to 1 %, and a thousand callers' histograms fit in the heap. */
    private static final int DIGITS = 2;

    private final Queue<Histogram> waits = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Histogram> ownWaits = ThreadLocal.withInitial(this::newHistogram);
    private final AtomicReference<@Nullable Throwable> spoiled = new AtomicReference<>();
    private volatile boolean running = true;
    private final Pace pace;
    private volatile boolean counting;

    DecisionMeter(Pace pace) {
        this.pace = pace;
        this.counting = pace.settle().isZero();
    }

    boolean isRunning() {
        return running;
    }

    /** Counts a decision that was asked for at {@code askedNanos}. Returns the time now, when the next may be asked. */
    long count(boolean admitted, long askedNanos) {
        if (!admitted) {
            spoil(new IllegalStateException("a decision that should admit has refused"));
        }
        long nowNanos = System.nanoTime();
        if (counting) {
            ownWaits.get().recordValue(nowNanos - askedNanos);
        }
        return nowNanos;
    }

    void spoil(Throwable cause) {
        spoiled.compareAndSet(null, cause);
        running = false;
    }

    /**
     * Waits until the load has settled, lets it count, and stops it. Callers that are in step with the network land in
     * waves; the wait is partly random, so that rounds begin and end anywhere between two of them.
     *
     * @param end waits until no caller counts any more
     */
    Sample measure(Runnable end) {
        sleep(pace.settle()
                .plusNanos(ThreadLocalRandom.current().nextLong(pace.settle().toNanos() / 2 + 1)));
        long startNanos = System.nanoTime();
        counting = true;
        sleep(pace.measure());
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        running = false;
        counting = false;
        end.run();
        Throwable cause = spoiled.get();
        if (cause != null) {
            throw new IllegalStateException("the turn was spoiled", cause);
        }
        Histogram all = new Histogram(DIGITS);
        waits.forEach(all::add);
        return new Sample(all.getTotalCount(), seconds, all.getValueAtPercentile(50) / 1e3);
    }

    private Histogram newHistogram() {
        Histogram histogram = new Histogram(DIGITS);
        waits.add(histogram);
        return histogram;
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
