package io.ratelimit.faults;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.testing.StolenTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/** Callers that ask without end, a third under each failure policy, and count what they were answered. */
final class Load implements AutoCloseable {

    static final long MOST = 100_000_000;

    private static final List<FailurePolicy> POLICIES = List.of(FailurePolicy.values());

    final LongAdder asked = new LongAdder();
    final Answers answers = new Answers();
    final AtomicLong longestNanos = new AtomicLong();

    /** The same without the time for which a thread was ready to run but waited for a processor. */
    private final AtomicLong longestRunningNanos = new AtomicLong();

    final Stalls stalls = new Stalls();
    private final LongAdder missedInAStall = new LongAdder();
    final StolenTime stolen = StolenTime.fromNowOn();
    private final AtomicInteger callbacks = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();
    private final RateLimiter limiter;
    private final UnaryOperator<Acquisition> calls;
    final Callers callers;
    private volatile long lastWithoutStoreNanos;
    private volatile boolean over;

    /** What to ask is the same call of a limit that none reaches, or what {@code calls} makes of it. */
    Load(RateLimiter limiter, Callers callers, UnaryOperator<Acquisition> calls) {
        this.limiter = limiter;
        this.callers = callers;
        this.calls = calls;
        for (int i = 0; i < callers.count(); i++) {
            FailurePolicy policy = POLICIES.get(i % POLICIES.size());
            if (callers.kind() == Callers.Kind.CALLBACKS) {
                callbacks.incrementAndGet();
                callers.callBack(() -> askOnce(policy), callbacks::decrementAndGet);
            } else {
                threads.add(callers.start(() -> askOn(policy), "load-" + i));
            }
        }
    }

    /**
     * How long after that time of {@link System#nanoTime} the last call was that the store did not answer. A call during
     * which the machine stood still says nothing about the store.
     */
    Duration lastWithoutStoreAfter(long nanos) {
        return Duration.ofNanos(Math.max(0, lastWithoutStoreNanos - nanos));
    }

    /**
     * How many calls may miss the timeout though nothing broke: those during which the machine itself stood still, and one
     * of each thread for each half of the timeout that its host took away.
     */
    long missesOfAStalledMachine() {
        return missedInAStall.sum() + callers.count() * (stolen.soFar().toNanos() / (Stack.TIMEOUT.toNanos() / 2));
    }

    Acquisition one(FailurePolicy policy) {
        Limit limit = Limit.of("load", Algorithm.SLIDING_WINDOW_COUNTER, MOST, Duration.ofDays(300));
        return Acquisition.of(limit, "subject-" + policy).withOnStoreFailure(policy);
    }

    /**
     * The longest call, less what the machine took of it: the limiter and the watch both wait for a processor, and so do a
     * thousand threads that are woken at once.
     */
    Duration longest() {
        long lostNanos = Math.max(2 * stalls.longestNanos(), stolen.soFar().toNanos());
        return Duration.ofNanos(Math.max(0, longestRunningNanos.get() - lostNanos));
    }

    @Override
    public void close() {
        over = true;
        Awaitility.await("the last callbacks").atMost(Duration.ofSeconds(20)).until(() -> callbacks.get() == 0);
        try {
            for (Thread thread : threads) {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            }
            stalls.stop();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the figures. */
    @Override
    public String toString() {
        return "%d calls = %s, longest %d ms (machine stalled %d ms, its host took %d ms)"
                .formatted(
                        asked.sum(),
                        answers,
                        TimeUnit.NANOSECONDS.toMillis(longestNanos.get()),
                        TimeUnit.NANOSECONDS.toMillis(stalls.longestNanos()),
                        stolen.soFar().toMillis());
    }

    private void askOn(FailurePolicy policy) {
        Acquisition one = one(policy);
        while (!over) {
            Acquisition acquisition = calls.apply(one);
            long waited = processorWaitNanos();
            long start = System.nanoTime();
            asked.increment();
            try {
                answered(start, waited, policy, acquisition, limiter.acquire(acquisition), null);
            } catch (RuntimeException failure) {
                answered(start, waited, policy, acquisition, null, failure);
            }
            LockSupport.parkNanos(callers.pauseNanos());
        }
    }

    private CompletionStage<Boolean> askOnce(FailurePolicy policy) {
        Acquisition acquisition = calls.apply(one(policy));
        long start = System.nanoTime();
        asked.increment();
        return limiter.acquireAsync(acquisition).handle((decision, failure) -> {
            answered(start, 0, policy, acquisition, decision, failure);
            return !over;
        });
    }

    private void answered(
            long start,
            long waitedBefore,
            FailurePolicy policy,
            Acquisition acquisition,
            Decision decision,
            Throwable failure) {
        long end = System.nanoTime();
        if (end - start > longestRunningNanos.get()) {
            longestRunningNanos.accumulateAndGet(end - start - (processorWaitNanos() - waitedBefore), Math::max);
        }
        longestNanos.accumulateAndGet(end - start, Math::max);
        boolean mayBeRefused = !acquisition.equals(one(policy));
        if (!answers.add(policy, mayBeRefused, decision, failure).isOfStore()) {
            if (stalls.touched(start, end)) {
                missedInAStall.increment();
            } else {
                lastWithoutStoreNanos = end;
            }
        }
    }

    private long processorWaitNanos() {
        return callers.kind() == Callers.Kind.THREADS ? ProcessorWait.nanos() : 0;
    }
}
