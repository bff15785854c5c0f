package io.ratelimit.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One contender in one experiment once: its instances, the threads that call them, and what was recorded. */
final class Run implements AutoCloseable {

    private static final int WARM_UP = 40;
    /** How long a call takes whose real cost is only known when it is done. */
    private static final long WORK_MILLIS = 50;

    private static final Duration GRACE = Duration.ofSeconds(5);

    private final Experiment experiment;
    private final List<Planned> plan;
    private final String subject;
    private final StoreClock clock;
    private final List<Limiter> instances = new ArrayList<>();
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    private final CountDownLatch done;

    Run(Contender contender, Experiment experiment, Setup setup, List<Planned> plan, String subject) {
        this.experiment = experiment;
        this.plan = plan;
        this.subject = subject;
        this.clock = setup.clock();
        this.done = new CountDownLatch(experiment.callers());
        for (int i = 1; i <= experiment.instances(); i++) {
            instances.add(
                    contender.open(setup, i == experiment.instances() ? experiment.clockError() : ClockError.NONE));
        }
        for (Limiter instance : instances) {
            for (int i = 0; i < (experiment.roundTrip().toMillis() > 10 ? 5 : WARM_UP); i++) {
                instance.tryAcquire("warm-up-" + subject, 1);
            }
        }
    }

    /** Starts the callers, which make the first call at that time of the store. */
    void start(long startMicros) {
        for (int thread = 0; thread < experiment.callers(); thread++) {
            int first = thread;
            Thread caller = new Thread(() -> callFrom(first, startMicros), "caller");
            caller.setDaemon(true);
            caller.start();
        }
    }

    private void callFrom(int first, long startMicros) {
        for (int i = first; i < plan.size(); i += experiment.callers()) {
            Planned planned = plan.get(i);
            parkUntil(clock.nanoTime(startMicros + planned.atMicros()));
            calls.add(call(planned));
        }
        done.countDown();
    }

    private Call call(Planned planned) {
        Limiter limiter = instances.get(planned.instance());
        long beforeNanos = System.nanoTime();
        try {
            Answer answer = limiter.tryAcquire(subject + '-' + planned.subject(), planned.cost());
            long afterNanos = System.nanoTime();
            if (answer.allowed() && planned.actual() != planned.cost()) {
                Pauses.millis(WORK_MILLIS);
                answer.settlement().ifPresent(settlement -> settlement.accept(planned.actual()));
            }
            OptionalLong decidedAt = answer.decidedAtMicros();
            return new Call(
                    decidedAt.orElse(clock.micros(beforeNanos)),
                    decidedAt.orElse(clock.micros(afterNanos)),
                    planned.subject(),
                    planned.actual(),
                    answer.allowed() ? Call.Outcome.ALLOWED : Call.Outcome.REFUSED,
                    answer.retryAfterMicros(),
                    afterNanos - beforeNanos);
        } catch (RuntimeException failed) {
            return failed(planned, clock.micros(beforeNanos), System.nanoTime() - beforeNanos);
        }
    }

    private static Call failed(Planned planned, long atMicros, long tookNanos) {
        return new Call(
                atMicros,
                atMicros,
                planned.subject(),
                planned.actual(),
                Call.Outcome.FAILED,
                OptionalLong.empty(),
                tookNanos);
    }

    /** Waits for the last call, though not for one that never ends, and returns all that ended. */
    List<Call> end(long startMicros) {
        long lastMicros = startMicros + plan.get(plan.size() - 1).atMicros();
        try {
            long leftNanos = clock.nanoTime(lastMicros) + GRACE.toNanos() - System.nanoTime();
            if (!done.await(leftNanos, TimeUnit.NANOSECONDS)) {
                System.err.println("calls without an answer are left behind: " + experiment.id() + ", " + subject);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
        long originMicros = instances.get(0).windowOriginNanos() == 0
                ? 0
                : clock.micros(instances.get(0).windowOriginNanos());
        return calls.stream().map(call -> call.shifted(originMicros)).toList();
    }

    private static void parkUntil(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public void close() {
        instances.forEach(Limiter::close);
    }
}
