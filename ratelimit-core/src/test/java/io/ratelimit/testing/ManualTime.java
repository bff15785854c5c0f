package io.ratelimit.testing;

import io.ratelimit.internal.Scheduler;
import io.ratelimit.memory.MicrosClock;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;

/** Time that a test advances, for stores, tickers and schedulers alike. Advancing is not thread-safe. */
public final class ManualTime {

    private record Ring(long atMicros, Runnable action, CompletableFuture<Void> rung) {}

    private final PriorityQueue<Ring> rings = new PriorityQueue<>(Comparator.comparingLong(Ring::atMicros));
    private volatile long micros;

    public ManualTime(long startMicros) {
        micros = startMicros;
    }

    public MicrosClock clock() {
        return () -> micros;
    }

    public long nanos() {
        return micros * 1_000;
    }

    public Scheduler scheduler() {
        return (nanos, action) -> {
            CompletableFuture<Void> rung = new CompletableFuture<>();
            synchronized (rings) {
                rings.add(new Ring(micros + Math.max(0, nanos) / 1_000, action, rung));
            }
            return rung;
        };
    }

    public long micros() {
        return micros;
    }

    /** Rings on the way what is due and was not cancelled. */
    public void passMicros(long passing) {
        long end = micros + passing;
        while (!rings.isEmpty() && rings.peek().atMicros <= end) {
            Ring ring = rings.remove();
            micros = Math.max(micros, ring.atMicros);
            if (ring.rung.complete(null)) {
                ring.action.run();
            }
        }
        micros = end;
    }

    public void passSeconds(long seconds) {
        passMicros(seconds * 1_000_000);
    }
}
