package io.ratelimit.internal.call;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ratelimit.Charge;
import java.util.List;

/**
 * The calls of limits of concurrency that this process has in flight, by subject and by the µs of the decision. Calls that were admitted in
 * one µs share an entry in Redis, and no other process has a part in it. So the release of a call can say how much may
 * stay of its entry, which is as true the second time. Knows the 100,000 entries that are used most. Thread-safe.
 */
public final class OpenCalls {

    private final Cache<Moment, Long> costs =
            Caffeine.newBuilder().maximumSize(100_000).executor(Runnable::run).build();

    private record Moment(StateId state, long micros) {}

    public static boolean areIn(List<Charge> charges) {
        for (Charge charge : charges) {
            if (charge.limit().algorithm().isReleased()) {
                return true;
            }
        }
        return false;
    }

    /** Adds what was admitted. To be called for all that was admitted in one µs before any of it ends. */
    public void admitted(List<Charge> charges, int times, long micros) {
        for (Charge charge : charges) {
            if (charge.limit().algorithm().isReleased()) {
                costs.asMap().merge(new Moment(StateId.of(charge), micros), times * charge.cost(), Long::sum);
            }
        }
    }

    /** Ends a call. Returns for each charge one more than what may stay of its entry; 0 if that is not known. */
    public long[] ended(List<Charge> charged, long[] actual, long micros) {
        long[] most = new long[charged.size()];
        for (int i = 0; i < most.length; i++) {
            Charge charge = charged.get(i);
            if (charge.limit().algorithm().isReleased()) {
                most[i] = ended(new Moment(StateId.of(charge), micros), charge.cost() - actual[i]);
            }
        }
        return most;
    }

    private long ended(Moment moment, long cost) {
        long[] most = new long[1];
        costs.asMap().computeIfPresent(moment, (same, open) -> {
            long left = Math.max(0, open - cost);
            most[0] = left + 1;
            return left == 0 ? null : left;
        });
        return most[0];
    }
}
