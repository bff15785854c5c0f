package io.ratelimit.lab.known;

import io.ratelimit.lab.Answer;
import io.ratelimit.lab.Limiter;
import io.ratelimit.lab.Setup;

/** Counts windows of the clock, and promises any window: it admits twice the limit around a boundary. The lab must see it. */
public final class TwiceAtBoundary implements Limiter {

    private static final class Counter {
        long window;
        long used;
    }

    private final Setup setup;

    public TwiceAtBoundary(Setup setup) {
        this.setup = setup;
    }

    @Override
    public Answer tryAcquire(String subject, long cost) {
        Counter counter = (Counter) setup.shared().computeIfAbsent(subject, name -> new Counter());
        long windowMicros = setup.rate().windowMicros();
        synchronized (counter) {
            long nowMicros = setup.clock().nowMicros();
            if (nowMicros / windowMicros != counter.window) {
                counter.window = nowMicros / windowMicros;
                counter.used = 0;
            }
            boolean fits = counter.used + cost <= setup.rate().limit();
            counter.used += fits ? cost : 0;
            return Answer.of(fits, windowMicros - nowMicros % windowMicros).decidedAt(nowMicros);
        }
    }
}
