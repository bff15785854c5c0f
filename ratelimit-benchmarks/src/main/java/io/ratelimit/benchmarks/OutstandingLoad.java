package io.ratelimit.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Callbacks: that many decisions are always asked for and not yet answered; each answer asks for the next. */
record OutstandingLoad(int outstanding) implements Load<AsyncContender> {

    @Override
    public Sample run(AsyncContender contender, Subjects subjects, Pace pace) {
        DecisionMeter meter = new DecisionMeter(pace);
        CountDownLatch ended = new CountDownLatch(outstanding);
        for (int i = 0; i < outstanding; i++) {
            askOn(contender, subjects, meter, ended);
        }
        return meter.measure(() -> await(ended));
    }

    /** A loop where the answer is there at once, or a long run of such answers would overflow the stack. */
    private static void askOn(AsyncContender contender, Subjects subjects, DecisionMeter meter, CountDownLatch ended) {
        long askedNanos = System.nanoTime();
        while (meter.isRunning()) {
            long nanos = askedNanos;
            CompletableFuture<Boolean> answer =
                    contender.tryAcquireAsync(subjects.any()).toCompletableFuture();
            if (!answer.isDone()) {
                answer.whenComplete((admitted, failure) -> {
                    if (failure != null) {
                        meter.spoil(failure);
                    } else {
                        meter.count(admitted, nanos);
                    }
                    askOn(contender, subjects, meter, ended);
                });
                return;
            }
            askedNanos = meter.count(answer.join(), nanos);
        }
        ended.countDown();
    }

    private static void await(CountDownLatch ended) {
        try {
            if (!ended.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("%d decisions were never answered".formatted(ended.getCount()));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
