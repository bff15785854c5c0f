package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Admits at most L requests in flight. A call gives back what it took when it ends, by {@link #settle}. What a call
 * took is free again after W, even if its process has died.
 *
 * <p>Example: L = 2, W = 10 min, and calls that began at 12:00:00 and 12:04:00. At 12:05:00 nothing remains. If neither
 * call ends before, the next one is admitted at 12:10:00.
 *
 * <p>Nobody knows when a call ends. A refused call is therefore to come back in a second, or sooner if it fits sooner even
 * though no call ends.
 *
 * <p>A call is found by the time at which it was admitted; calls of the same µs share an entry. If there is no entry of
 * that time, the oldest one is reduced, if that is older: the clock may have stepped back since, and the entries that stay then
 * count for as long as the calls that are in flight, or longer. A call that
 * has taken longer than W finds no entry that old, so it frees nothing that another call took, unless the clock has stepped
 * back: its own entry is gone then, and those of calls that began since are older by the clock.
 *
 * <p>When the clock steps back, calls that were admitted at its new time or later count as admitted a µs before it, because
 * that much has passed since. So they count for as long as without the step, or for W, and share no entry with the calls that
 * are admitted next.
 *
 * <p>State: the times of the calls in flight, and the cost of each.
 */
public final class Concurrency implements Tally {

    private static final long RETRY_MICROS = 1_000_000;

    private final NavigableMap<Long, Long> costs = new TreeMap<>();
    private long total;

    @Override
    public long now(Quota quota, long clockMicros) {
        if (!costs.isEmpty() && costs.lastKey() > clockMicros) {
            Map<Long, Long> later = costs.tailMap(clockMicros, true);
            long cost = sum(later);
            later.clear();
            costs.merge(clockMicros - 1, cost, Long::sum);
        }
        return clockMicros;
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead) {
        long mustLeave = total + ahead + cost - quota.maxRequests();
        long freeAtMicros = nowMicros;
        for (Map.Entry<Long, Long> call : costs.entrySet()) {
            if (mustLeave <= 0) {
                break;
            }
            mustLeave -= call.getValue();
            freeAtMicros = call.getKey() + quota.windowMicros();
        }
        long wait = mustLeave > 0 ? quota.windowMicros() : Math.max(0, freeAtMicros - nowMicros);
        return Math.min(wait, RETRY_MICROS);
    }

    /** Returns the longest {@code retryAfter} of a refusal. */
    public static long longestRetryMicros(Quota quota) {
        return Math.min(quota.windowMicros(), RETRY_MICROS);
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        dropEnded(quota, nowMicros);
        total += cost;
        costs.merge(nowMicros, cost, Long::sum);
    }

    /** Ends a call, which never costs more than it was charged. */
    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {
        Long last = costs.floorKey(takenAtMicros);
        if (last == null || last <= nowMicros - quota.windowMicros()) {
            return;
        }
        dropEnded(quota, nowMicros);
        Map.Entry<Long, Long> call = last == takenAtMicros ? costs.floorEntry(last) : costs.firstEntry();
        for (long left = -more; left > 0 && call != null && call.getKey() <= last; call = costs.firstEntry()) {
            long freed = Math.min(left, call.getValue());
            if (freed < call.getValue()) {
                costs.put(call.getKey(), call.getValue() - freed);
            } else {
                costs.remove(call.getKey());
            }
            total -= freed;
            left -= freed;
        }
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        return Math.max(0, quota.maxRequests() - total + sum(ended(quota, nowMicros)));
    }

    @Override
    public long heapBytes() {
        return 80 + 88L * costs.size();
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return costs.isEmpty() ? 0 : Math.max(0, costs.lastKey() + quota.windowMicros() - nowMicros);
    }

    private void dropEnded(Quota quota, long nowMicros) {
        Map<Long, Long> ended = ended(quota, nowMicros);
        total -= sum(ended);
        ended.clear();
    }

    private Map<Long, Long> ended(Quota quota, long nowMicros) {
        return costs.headMap(nowMicros - quota.windowMicros(), true);
    }

    private static long sum(Map<Long, Long> calls) {
        long sum = 0;
        for (long cost : calls.values()) {
            sum += cost;
        }
        return sum;
    }
}
