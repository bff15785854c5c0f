package io.ratelimit.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Threads that ask about one subject for some time, and how long each decision took. */
final class TimedLoad {

    private static final int KEPT = 1 << 16;

    /** What one thread saw: of as many decisions as it can keep, the last ones' times. */
    private static final class Caller extends Thread {

        private final long[] nanos = new long[KEPT];
        private final Contender contender;
        private final String subject;
        private final long endNanos;
        private int decisions;
        private boolean refused;

        Caller(Contender contender, String subject, long endNanos) {
            this.contender = contender;
            this.subject = subject;
            this.endNanos = endNanos;
        }

        @Override
        public void run() {
            for (long start = System.nanoTime(); start - endNanos < 0; ) {
                refused |= !contender.tryAcquire(subject);
                long end = System.nanoTime();
                nanos[decisions++ % KEPT] = end - start;
                start = end;
            }
        }

        long[] kept() {
            return Arrays.copyOf(nanos, Math.min(decisions, KEPT));
        }
    }

    record Timed(double medianMicros, long decisions, double seconds) {}

    private TimedLoad() {}

    static Timed run(Contender contender, String subject, int threads, Duration time) {
        long startNanos = System.nanoTime();
        List<Caller> callers = Stream.generate(() -> new Caller(contender, subject, startNanos + time.toNanos()))
                .limit(threads)
                .toList();
        callers.forEach(Thread::start);
        callers.forEach(TimedLoad::join);
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        if (callers.stream().anyMatch(caller -> caller.refused)) {
            throw new IllegalStateException("a decision that should admit has refused");
        }
        long[] nanos = callers.stream()
                .flatMapToLong(caller -> Arrays.stream(caller.kept()))
                .sorted()
                .toArray();
        long decisions = callers.stream().mapToLong(caller -> caller.decisions).sum();
        return new Timed(nanos[nanos.length / 2] / 1e3, decisions, seconds);
    }

    private static void join(Thread caller) {
        try {
            caller.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
