package io.ratelimit.benchmarks;

import java.util.List;
import java.util.stream.Stream;

/** Threads that each wait for one decision before they ask for the next. */
record BlockingLoad(int threads) implements Load<Contender> {

    @Override
    public double decisionsPerSecond(Contender contender, Subjects subjects, Pace pace) {
        DecisionMeter meter = new DecisionMeter();
        List<Thread> callers = Stream.generate(() -> new Thread(() -> call(contender, subjects, meter)))
                .limit(threads)
                .toList();
        callers.forEach(Thread::start);
        double perSecond = meter.perSecond(pace);
        callers.forEach(BlockingLoad::join);
        return perSecond;
    }

    private static void call(Contender contender, Subjects subjects, DecisionMeter meter) {
        try {
            while (meter.isRunning()) {
                meter.count(contender.tryAcquire(subjects.any()));
            }
        } catch (RuntimeException failed) {
            meter.spoil(failed);
        }
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
