package io.ratelimit.lab;

import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.function.LongSupplier;

/** Redis' clock, read from here: its distance from {@link System#nanoTime} is measured once. Immutable. */
public final class StoreClock {

    private static final int PROBES = 200;

    private final LongSupplier nanoTime;
    private final long offsetMicros;

    private StoreClock(LongSupplier nanoTime, long offsetMicros) {
        this.nanoTime = nanoTime;
        this.offsetMicros = offsetMicros;
    }

    /** Asks Redis for its time, and trusts the answer that came soonest. */
    static StoreClock of(RedisCommands<String, String> redis) {
        long soonestNanos = Long.MAX_VALUE;
        long offsetMicros = 0;
        for (int i = 0; i < PROBES; i++) {
            long beforeNanos = System.nanoTime();
            List<String> time = redis.time();
            long tookNanos = System.nanoTime() - beforeNanos;
            if (tookNanos < soonestNanos) {
                soonestNanos = tookNanos;
                long storeMicros = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
                offsetMicros = storeMicros - (beforeNanos + tookNanos / 2) / 1_000;
            }
        }
        return new StoreClock(System::nanoTime, offsetMicros);
    }

    /** A clock that shows what the supplier returns, in µs. */
    static StoreClock showing(LongSupplier micros) {
        return new StoreClock(() -> micros.getAsLong() * 1_000, 0);
    }

    public long nowMicros() {
        return micros(nanoTime.getAsLong());
    }

    /** The store's time at that {@link System#nanoTime}, in µs. */
    long micros(long nanos) {
        return nanos / 1_000 + offsetMicros;
    }

    long nanoTime(long micros) {
        return (micros - offsetMicros) * 1_000;
    }
}
