package io.ratelimit.internal.call;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.Quota;
import io.ratelimit.internal.Micros;
import java.util.List;

/**
 * Checks what a caller settles, and that it settles each decision once. Remembers decisions by identity for as long as
 * the application holds them. Thread-safe.
 */
public final class Settlements {

    private final Cache<Decision, Boolean> settled =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    /**
     * Returns whether the decision charged this acquisition and is settled for the first time.
     *
     * @throws IllegalArgumentException if there is neither one actual cost nor one for each charge, or one is negative
     */
    public boolean begins(Acquisition acquisition, Decision decision, long[] actual) {
        check(acquisition, actual);
        return decision.allowed()
                && (decision.source() != Decision.Source.NONE
                        || !decision.reported().isEmpty())
                && answers(decision, acquisition.charges())
                && settled.asMap().putIfAbsent(decision, true) == null;
    }

    /** Returns the decision of a peek, which has charged nothing that could be settled. */
    public Decision peeked(Decision decision) {
        if (decision.allowed()) {
            settled.put(decision, true);
        }
        return decision;
    }

    /**
     * Returns the actual cost of each charge; {@code actual} may be one number for all of them. It is 0 for a charge
     * that is released, and the charge itself for an element, which stays counted.
     */
    public static long[] ofEach(List<Charge> charges, long[] actual) {
        long[] each = new long[charges.size()];
        for (int i = 0; i < each.length; i++) {
            Charge charge = charges.get(i);
            if (charge.element().isPresent()) {
                each[i] = Amounts.of(charge);
            } else if (!charge.limit().algorithm().isReleased()) {
                each[i] = Math.min(actual[actual.length == 1 ? 0 : i], Quota.MOST_REQUESTS);
            }
        }
        return each;
    }

    /**
     * Returns the resetAfter of each limit at the decision and what it had given back until then, together in µs; 0 for a limit with shards, whose resetAfter may be that
     * of another shard than the one that was charged, and for calls in flight, whose end does not depend on it.
     */
    public static long[] resetAfterMicros(Decision decision) {
        return decision.limits().stream()
                .mapToLong(status -> status.limit().shards() > 1
                                || status.limit().algorithm().isReleased()
                        ? 0
                        : Micros.of(status.resetAfter().plus(status.givenBack())))
                .toArray();
    }

    /** Returns whether some charge cost something else than it was charged. */
    public static boolean changesAny(List<Charge> charges, long[] actual) {
        for (int i = 0; i < actual.length; i++) {
            if (actual[i] != Amounts.of(charges.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the ban of some limit counts the call as a failure. */
    public static boolean isFailure(List<Charge> charges, long[] actual) {
        for (int i = 0; i < actual.length; i++) {
            if (Bans.countsFailure(charges.get(i).limit(), actual[i])) {
                return true;
            }
        }
        return false;
    }

    private static void check(Acquisition acquisition, long[] actual) {
        int charges = acquisition.charges().size();
        if (actual.length != 1 && actual.length != charges) {
            throw new IllegalArgumentException(
                    "'%d' actual costs for %d charges: pass one for all charges, or one for each in their order"
                            .formatted(actual.length, charges));
        }
        for (long cost : actual) {
            if (cost < 0) {
                throw new IllegalArgumentException("actual cost '%d' for limit '%s' must be at least 0"
                        .formatted(cost, acquisition.charges().get(0).limit().name()));
            }
        }
    }

    /** Charges of limits that only report are answered apart, if the limiter is a stack. */
    private static boolean answers(Decision decision, List<Charge> charges) {
        int reported = decision.reported().size();
        List<Charge> refusing = reported == 0
                ? charges
                : charges.stream()
                        .filter(charge -> !charge.limit().reportOnly())
                        .toList();
        List<LimitStatus> statuses = decision.limits();
        boolean answers = statuses.size() == refusing.size() && charges.size() == refusing.size() + reported;
        for (int i = 0; answers && i < refusing.size(); i++) {
            Limit limit = refusing.get(i).limit();
            answers = statuses.get(i).limit().name().equals(limit.name())
                    && refusing.get(i).cost() <= limit.largestCost() / decision.taken();
        }
        return answers;
    }
}
