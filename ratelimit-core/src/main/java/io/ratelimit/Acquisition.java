package io.ratelimit;

import io.ratelimit.internal.Micros;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The limits that one call must pass, each with a subject and a cost. They are decided together: either all of them are
 * charged or none is. Immutable and thread-safe.
 *
 * <pre>{@code
 * Acquisition search = Acquisition.of(burst, "alice").and(hourly, "alice", 10).and(perTenant, "acme");
 * }</pre>
 *
 * <p>An acquisition may charge limits of one name but different numbers to the same subject, such as the plans of a
 * user and of a team. They are decided in order, each by its own numbers, as if the charges before it were taken
 * already.
 *
 * @param charges in the order of the decision's answers; equal limits and subjects are merged into one charge of
 *     the sum
 * @param onStoreFailure replaces the limiter's failure policy for this call
 * @param times how often the charges are taken at most, as many times as fit; 1 unless made by {@link #upTo}
 * @param maxWait how long the call may wait until it fits; zero unless made by {@link #withMaxWait}
 */
public record Acquisition(List<Charge> charges, Optional<FailurePolicy> onStoreFailure, int times, Duration maxWait) {

    private static final Duration LONGEST_WAIT = Duration.ofDays(1);

    /**
     * @throws IllegalArgumentException if there is no charge, there are two elements of one limit and subject, or a limit
     *     with shards is charged twice to one subject, with other settings
     * @throws IllegalArgumentException if {@code maxWait} is below 0 or above a day
     * @throws IllegalArgumentException if {@code times} is below 1, or above 1 with an element or with several charges
     *     of one limit and subject
     * @throws CostExceedsCapacityException if the costs of one limit and subject together exceed its capacity
     */
    public Acquisition {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("an acquisition needs at least one charge: add one");
        }
        charges = charges.size() == 1 ? List.copyOf(charges) : merged(charges);
        if (times != 1) {
            AcquisitionChecks.checkTimes(charges, times);
        }
        if (maxWait.isNegative() || maxWait.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("max wait '%s' for limit '%s' must be at least 0 and at most a day"
                    .formatted(Micros.text(maxWait), charges.get(0).limit().name()));
        }
    }

    /** Creates an acquisition that does not wait. */
    public Acquisition(List<Charge> charges, Optional<FailurePolicy> onStoreFailure, int times) {
        this(charges, onStoreFailure, times, Duration.ZERO);
    }

    /** Creates an acquisition that is made once. */
    public Acquisition(List<Charge> charges, Optional<FailurePolicy> onStoreFailure) {
        this(charges, onStoreFailure, 1);
    }

    /** Creates an acquisition that follows the limiter's failure policy. */
    public Acquisition(List<Charge> charges) {
        this(charges, Optional.empty());
    }

    /** Creates an acquisition of one request. */
    public static Acquisition of(Limit limit, String subject) {
        return of(limit, subject, 1);
    }

    /** Creates an acquisition of one charge; throws as {@link Charge} does. */
    public static Acquisition of(Limit limit, String subject, long cost) {
        return new Acquisition(List.of(new Charge(limit, subject, cost)));
    }

    /** Creates an acquisition of one element of a limit of {@link Algorithm#UNIQUE_COUNT}. */
    public static Acquisition of(Limit limit, String subject, String element) {
        return new Acquisition(List.of(new Charge(limit, subject, element)));
    }

    /** Returns this acquisition with one request of another limit or subject added. */
    public Acquisition and(Limit limit, String subject) {
        return and(limit, subject, 1);
    }

    /**
     * Returns this acquisition with a charge added; throws as {@link Charge} and {@link Acquisition} do. It copies the charges:
     * for thousands of them, pass a list to the constructor.
     */
    public Acquisition and(Limit limit, String subject, long cost) {
        return and(new Charge(limit, subject, cost));
    }

    /** Returns this acquisition with an element added; throws as {@link Charge} and {@link Acquisition} do. */
    public Acquisition and(Limit limit, String subject, String element) {
        return and(new Charge(limit, subject, element));
    }

    private Acquisition and(Charge charge) {
        List<Charge> more = new ArrayList<>(charges);
        more.add(charge);
        Acquisition once = new Acquisition(more, onStoreFailure, 1, maxWait);
        return times == 1 ? once : once.upTo(times);
    }

    /** Returns this acquisition with its own failure policy. */
    public Acquisition withOnStoreFailure(FailurePolicy policy) {
        return new Acquisition(charges, Optional.of(policy), times, maxWait);
    }

    /**
     * Returns the acquisition of {@link RateLimiter#acquire(Acquisition, Duration)}, which waits until it fits if that is
     * within {@code maxWait}. With zero it does not wait.
     *
     * <p>A store that decides it refuses at once, and does not count the refusal for a ban, because the call may go on
     * waiting. Calls wait in a {@link io.ratelimit.RateLimiter} that is built as a stack.
     *
     * @throws IllegalArgumentException if {@code maxWait} is below 0 or above a day
     */
    public Acquisition withMaxWait(Duration maxWait) {
        return new Acquisition(charges, onStoreFailure, times, maxWait);
    }

    /**
     * Returns the acquisition of {@link RateLimiter#acquireUpTo}: each charge is taken the same number of times, as often
     * as fits, at least once and at most {@code most} times. {@link #times} is lower if so many could never fit. Limits that
     * only report are charged what the others admit.
     *
     * @throws IllegalArgumentException if {@code most} is below 1, if a limit counts elements or has a lease or shards, or if
     *     several charges have the same limit and subject but different numbers
     */
    public Acquisition upTo(int most) {
        AcquisitionChecks.checkDivisible(charges);
        long times = most;
        for (Charge charge : charges) {
            if (!charge.limit().reportOnly()) {
                times = Math.min(times, charge.limit().largestCost() / charge.cost());
            }
        }
        AcquisitionChecks.checkTimes(charges, (int) times);
        return new Acquisition(charges, onStoreFailure, (int) times, maxWait);
    }

    private static List<Charge> merged(List<Charge> charges) {
        MergedCharges merged = MergedCharges.of(charges);
        List<Charge> list = merged.list();
        for (int i = 1; i < list.size(); i++) {
            AcquisitionChecks.checkFits(list.get(i), merged.before(i));
        }
        return list;
    }
}
