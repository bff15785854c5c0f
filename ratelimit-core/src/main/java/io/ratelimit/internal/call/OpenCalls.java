package io.ratelimit.internal.call;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ratelimit.Charge;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of limits of concurrency that this process has in flight, by subject and by the µs of the decision. Calls that were admitted in
 * one µs share an entry in Redis, and no other process has a part in it. So the release of a call can say how much may
 * stay of its entry, which is as true the second time. Knows the 100,000 entries that are used most. Thread-safe.
 */
public final class OpenCalls {

    private final Cache<Moment, Entry> entries =
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
                entries.asMap()
                        .computeIfAbsent(new Moment(StateId.of(charge), micros), moment -> new Entry())
                        .admit(times * charge.cost());
            }
        }
    }

    /**
     * Ends a call.
     *
     * @param untilNanos until when Redis may make its end
     */
    public EndedCall ended(List<Charge> charged, long[] actual, long micros, long untilNanos) {
        if (!areIn(charged)) {
            return EndedCall.NONE;
        }
        List<Entry> ended = new ArrayList<>(charged.size());
        for (int i = 0; i < actual.length; i++) {
            Moment moment = new Moment(StateId.of(charged.get(i)), micros);
            Entry entry = entries.asMap().getOrDefault(moment, Entry.UNKNOWN);
            if (entry != Entry.UNKNOWN && entry.end(charged.get(i).cost() - actual[i], untilNanos)) {
                entries.asMap().remove(moment, entry);
            }
            ended.add(entry);
        }
        return new EndedCall(ended);
    }

    /** The calls that were admitted in one µs, or the quota of a lease, of which many end. Guarded by itself. */
    static final class Entry {

        static final Entry UNKNOWN = new Entry();

        private long open;
        private int ends;
        private boolean isRepeated;
        private long takenUntilNanos = System.nanoTime();

        private synchronized void admit(long cost) {
            open += cost;
        }

        /** Returns true if no call is open any more. */
        private synchronized boolean end(long cost, long untilNanos) {
            open = Math.max(0, open - cost);
            ends++;
            if (!isRepeated && untilNanos - takenUntilNanos > 0) {
                takenUntilNanos = untilNanos;
            }
            return open == 0;
        }

        /** Returns one more than what may stay now; 0 if no end is made again, so that each takes away what it cost. */
        synchronized long most() {
            return isRepeated ? open + 1 : 0;
        }

        synchronized boolean mayBeTakenFrom() {
            return isRepeated && ends > 1 && takenUntilNanos - System.nanoTime() > 0;
        }

        synchronized long repeat(long fromNanos) {
            isRepeated = true;
            return ends > 1 && takenUntilNanos - fromNanos > 0 ? takenUntilNanos : fromNanos;
        }
    }
}
