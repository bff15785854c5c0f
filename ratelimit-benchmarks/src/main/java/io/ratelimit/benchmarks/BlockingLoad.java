package io.ratelimit.benchmarks;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Threads that each wait for one decision before they ask for the next.
 *
 * @param start starts a thread with that task
 */
record BlockingLoad(int threads, Function<Runnable, Thread> start) implements Load<Contender> {

    static BlockingLoad platform(int threads) {
        return new BlockingLoad(threads, Threads::platform);
    }

    static BlockingLoad virtual(int threads) {
        return new BlockingLoad(threads, Threads::virtual);
    }

    @Override
    public Sample run(Contender contender, Subjects subjects, Pace pace) {
        DecisionMeter meter = new DecisionMeter(pace);
        List<Thread> callers = Stream.generate(() -> start.apply(() -> call(contender, subjects, meter)))
                .limit(threads)
                .toList();
        return meter.measure(() -> callers.forEach(Threads::join));
    }

    private static void call(Contender contender, Subjects subjects, DecisionMeter meter) {
        try {
            long askedNanos = System.nanoTime();
            while (meter.isRunning()) {
                askedNanos = meter.count(contender.tryAcquire(subjects.any()), askedNanos);
            }
        } catch (RuntimeException failed) {
            meter.spoil(failed);
        }
    }
}
