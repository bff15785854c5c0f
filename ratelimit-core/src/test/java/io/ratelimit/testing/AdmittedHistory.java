package io.ratelimit.testing;

import io.ratelimit.Algorithm;
import io.ratelimit.Quota;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;

/**
 * What one limit admitted of one subject, by the store's time, and what each algorithm's promise makes of it: counted
 * again from the whole history, by the plainest sums, in whole numbers of any size. Knows nothing of how an algorithm
 * gets there.
 */
public final class AdmittedHistory {

    /** What one call took, and when. */
    public record Admission(long atMicros, long cost) {}

    private final List<Admission> admissions;

    private AdmittedHistory(List<Admission> admissions) {
        this.admissions = admissions;
    }

    /** In any order. */
    public static AdmittedHistory of(Collection<Admission> admissions) {
        return new AdmittedHistory(admissions.stream()
                .sorted(Comparator.comparingLong(Admission::atMicros))
                .collect(Collectors.toCollection(ArrayList::new)));
    }

    /** Appends an admission that is no earlier than any other. Not thread-safe. */
    public void add(Admission latest) {
        admissions.add(latest);
    }

    public int size() {
        return admissions.size();
    }

    /**
     * The most that was in use at any admission: a limiter that keeps the limit stays within its capacity, to the µs. No time
     * between two admissions can have more, for time alone only frees.
     *
     * <ul>
     *   <li>log, and what is in flight if no call ends: the costs of (t - W, t], so no window of W holds more than L
     *   <li>token bucket: the most, over all earlier admissions, of the costs since then less the tokens that came in
     *       since then, so no stretch of time t holds more than B + t * L / W
     *   <li>fixed window: the costs of the window of the clock, so none of those holds more than L
     *   <li>counter: its documented estimate, so no window of the clock holds more than L, and no W more than 2L; in n parts,
     *       no W - W / n holds more than L
     * </ul>
     */
    public long mostUsed(Algorithm algorithm, Quota quota) {
        return admissions.stream()
                .mapToLong(Admission::atMicros)
                .distinct()
                .map(atMicros -> used(algorithm, quota, atMicros))
                .max()
                .orElse(0);
    }

    /** What is in use at that time, by what was admitted until then. */
    public long used(Algorithm algorithm, Quota quota, long nowMicros) {
        long windowMicros = quota.windowMicros();
        return switch (algorithm) {
            case FIXED_WINDOW -> costOfWindow(nowMicros / windowMicros, quota, nowMicros);
            case SLIDING_WINDOW_LOG, CONCURRENCY ->
                cost(atMicros -> atMicros > nowMicros - windowMicros && atMicros <= nowMicros);
            case SLIDING_WINDOW_COUNTER -> estimate(quota, nowMicros);
            case TOKEN_BUCKET -> mostAboveTheRefill(quota, nowMicros);
            case UNIQUE_COUNT, APPROXIMATE_UNIQUE_COUNT -> throw new IllegalArgumentException("no history of elements");
        };
    }

    /** What the documentation says that any stretch of W may hold, wherever it begins. */
    public static long mostInAnyWindow(Algorithm algorithm, Quota quota) {
        return switch (algorithm) {
            case SLIDING_WINDOW_LOG, CONCURRENCY -> quota.maxRequests();
            case SLIDING_WINDOW_COUNTER, FIXED_WINDOW, UNIQUE_COUNT, APPROXIMATE_UNIQUE_COUNT ->
                2 * quota.maxRequests();
            case TOKEN_BUCKET -> quota.capacity() + quota.maxRequests();
        };
    }

    /** The most that any stretch of that length holds, its beginning left out. */
    public long mostWithin(long micros) {
        return admissions.stream()
                .mapToLong(Admission::atMicros)
                .map(end -> cost(atMicros -> atMicros > end - micros && atMicros <= end))
                .max()
                .orElse(0);
    }

    private long estimate(Quota quota, long nowMicros) {
        long part = quota.window().partMicros();
        long oldest = nowMicros / part - quota.window().buckets();
        long weighted = cost(atMicros -> atMicros / part == oldest && atMicros <= nowMicros);
        long whole = cost(atMicros -> atMicros / part > oldest && atMicros <= nowMicros);
        return floor(weighted, part - nowMicros % part, part) + whole;
    }

    private long mostAboveTheRefill(Quota quota, long nowMicros) {
        long most = 0;
        long sum = 0;
        for (int first = admissions.size() - 1; first >= 0; first--) {
            Admission admission = admissions.get(first);
            if (admission.atMicros <= nowMicros) {
                sum += admission.cost;
                long refilled = floor(nowMicros - admission.atMicros, quota.maxRequests(), quota.windowMicros());
                most = Math.max(most, sum - refilled);
            }
        }
        return most;
    }

    private long costOfWindow(long window, Quota quota, long nowMicros) {
        return cost(atMicros -> atMicros / quota.windowMicros() == window && atMicros <= nowMicros);
    }

    private long cost(LongPredicate atMicros) {
        long sum = 0;
        for (Admission admission : admissions) {
            if (atMicros.test(admission.atMicros)) {
                sum += admission.cost;
            }
        }
        return sum;
    }

    /** The whole part of count * times / parts. */
    private static long floor(long count, long times, long parts) {
        boolean fits = Math.multiplyHigh(count, times) == 0 && count * times >= 0;
        if (fits) {
            return count * times / parts;
        }
        return BigInteger.valueOf(count)
                .multiply(BigInteger.valueOf(times))
                .divide(BigInteger.valueOf(parts))
                .longValueExact();
    }

    @Override
    public String toString() {
        return admissions.toString();
    }
}
