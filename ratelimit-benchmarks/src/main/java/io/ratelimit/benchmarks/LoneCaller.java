package io.ratelimit.benchmarks;

import java.util.Arrays;

/** One thread and nothing else: how long it waits for a decision. */
final class LoneCaller {

    private LoneCaller() {}

    /** The median of that many calls, in µs. */
    static double medianMicros(Contender contender, Subjects subjects, int calls) {
        long[] nanos = new long[calls];
        for (int i = 0; i < calls; i++) {
            String subject = subjects.any();
            long startNanos = System.nanoTime();
            boolean admitted = contender.tryAcquire(subject);
            nanos[i] = System.nanoTime() - startNanos;
            if (!admitted) {
                throw new IllegalStateException("'%s' refused a call it should admit".formatted(contender.name()));
            }
        }
        Arrays.sort(nanos);
        return nanos[calls / 2] / 1e3;
    }
}
