package io.ratelimit.lab.known;

import io.ratelimit.lab.Answer;
import io.ratelimit.lab.Limiter;
import io.ratelimit.lab.Setup;
import java.util.ArrayDeque;
import java.util.Deque;

/** Admits as much as the limit allows in any window, to the µs. The lab must find nothing wrong with it. */
public final class Exact implements Limiter {

    private record Admission(long atMicros, long cost) {}

    private static final class Log {
        final Deque<Admission> admissions = new ArrayDeque<>();
        long used;
    }

    private final Setup setup;

    public Exact(Setup setup) {
        this.setup = setup;
    }

    @Override
    public Answer tryAcquire(String subject, long cost) {
        Log log = (Log) setup.shared().computeIfAbsent(subject, name -> new Log());
        synchronized (log) {
            long nowMicros = setup.clock().nowMicros();
            forget(log, nowMicros - setup.rate().windowMicros());
            boolean fits = log.used + cost <= setup.rate().limit();
            if (fits) {
                log.admissions.add(new Admission(nowMicros, cost));
                log.used += cost;
            }
            return Answer.of(fits, fits ? 0 : waitMicros(log, cost, nowMicros)).decidedAt(nowMicros);
        }
    }

    private static void forget(Log log, long untilMicros) {
        for (Admission oldest = log.admissions.peek();
                oldest != null && oldest.atMicros <= untilMicros;
                oldest = log.admissions.peek()) {
            log.used -= oldest.cost;
            log.admissions.remove();
        }
    }

    private long waitMicros(Log log, long cost, long nowMicros) {
        long used = log.used;
        for (Admission admission : log.admissions) {
            used -= admission.cost;
            if (used + cost <= setup.rate().limit()) {
                return admission.atMicros + setup.rate().windowMicros() - nowMicros;
            }
        }
        return setup.rate().windowMicros();
    }
}
