package io.ratelimit.internal.waiting;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.algorithm.Quota;
import io.ratelimit.internal.Micros;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * When a call would be admitted after those that wait already: when what they cost together fits. Immutable and
 * thread-safe.
 *
 * <p>A limit cannot be asked about more than its capacity C. What is above it takes a bucket the time to refill as much. A
 * window admits it a window after what is C before it in the line, and nothing in the line is admitted before the first.
 *
 * <p>Example: 10 per minute, all used 20 s ago, and the calls ahead cost 14 together. Then a call of cost 1 is admitted in
 * 100 s: 40 s until the first ones fit, and a window after those.
 *
 * @param asked what to peek at
 * @param costs what the call and those ahead of it cost together, for each of its charges
 * @param firstAfter the time until the first of them is expected to be admitted
 */
record Forecast(Acquisition asked, List<Long> costs, Duration firstAfter) {

    static Forecast of(Acquisition acquisition, List<Long> costs, Duration firstAfter) {
        List<Charge> charges = new ArrayList<>();
        for (int i = 0; i < costs.size(); i++) {
            charges.add(asked(acquisition.charges().get(i), costs.get(i)));
        }
        try {
            return new Forecast(new Acquisition(charges, acquisition.onStoreFailure()), costs, firstAfter);
        } catch (
                CostExceedsCapacityException
                        tooMuch) { // some share a state: then nothing better is known than for one call
            return new Forecast(
                    new Acquisition(acquisition.charges(), acquisition.onStoreFailure()), costs, firstAfter);
        }
    }

    private static Charge asked(Charge charge, long cost) {
        Limit limit = charge.limit();
        long below = limit.algorithm().hasBurst() ? cost : (cost - 1) % limit.capacity() + 1;
        return charge.element().isPresent()
                ? charge
                : new Charge(limit, charge.subject(), Math.min(below, limit.largestCost()));
    }

    /** Returns what the call is answered, from the answer to {@link #asked}. */
    Decision decision(Decision peeked) {
        List<LimitStatus> limits = new ArrayList<>();
        for (int i = 0; i < peeked.limits().size(); i++) {
            limits.add(status(i, peeked.limits().get(i)));
        }
        return limits.stream().noneMatch(LimitStatus::refuses)
                ? peeked
                : new Decision(false, limits, peeked.source(), peeked.decidedAt());
    }

    private LimitStatus status(int index, LimitStatus peeked) {
        Quota quota = peeked.limit().quota();
        if (peeked.limit().algorithm().hasBurst()) {
            long above = costs.get(index) - asked.charges().get(index).cost();
            return later(peeked, peeked.retryAfter(), quota.refillMicros(above));
        }
        long windows = (costs.get(index) - 1) / quota.capacity();
        return later(peeked, longer(peeked.retryAfter(), firstAfter), windows * quota.windowMicros());
    }

    private static LimitStatus later(LimitStatus status, Duration from, long micros) {
        if (micros == 0) {
            return status;
        }
        Duration retryAfter = from.plus(Micros.toDuration(micros));
        return new LimitStatus(
                status.limit(),
                status.remaining(),
                retryAfter,
                longer(status.resetAfter(), retryAfter),
                status.shard(),
                status.bannedFor());
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
