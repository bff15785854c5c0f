package io.ratelimit.internal.waiting;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.Quota;
import io.ratelimit.Window;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.algorithm.Concurrency;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Forecasts when a call is admitted that waits behind others: when the costs of all of them together fit. Immutable and
 * thread-safe.
 *
 * <p>A peek can be for at most the capacity C of a limit. For costs above C, a bucket needs the time to refill the
 * excess in addition. Every other algorithm admits C in a window, so each C of cost ahead of the call adds one window; windows of the
 * clock, and parts of them, begin before the first call that they admit.
 * No call is admitted before the first one of the line. Calls in flight may end at any moment, so behind others for a slot
 * a call is to come back as soon as alone.
 *
 * <p>Example: 10 per minute, all used 20 s ago, and the calls ahead cost 14 together. Then a call of cost 1 is admitted in
 * 100 s: 40 s until the first ones fit, and a window after those.
 *
 * @param acquisition what to peek at
 * @param costs what the call and those ahead of it cost together, for each of its charges
 * @param firstAfter the time until the first of them is expected to be admitted
 */
record Forecast(Acquisition acquisition, List<Long> costs, Duration firstAfter) {

    static Forecast of(Acquisition acquisition, List<Long> costs, Duration firstAfter) {
        List<Charge> charges = new ArrayList<>();
        for (int i = 0; i < costs.size(); i++) {
            charges.add(peeked(acquisition.charges().get(i), costs.get(i)));
        }
        try {
            return new Forecast(new Acquisition(charges, acquisition.onStoreFailure()), costs, firstAfter);
        } catch (CostExceedsCapacityException tooMuch) {
            // charges that share a state exceed it together: then the call is forecast as if it were alone
            return new Forecast(
                    new Acquisition(acquisition.charges(), acquisition.onStoreFailure()), costs, firstAfter);
        }
    }

    private static Charge peeked(Charge charge, long cost) {
        Limit limit = charge.limit();
        long below = limit.algorithm().hasBurst() ? cost : (cost - 1) % limit.capacity() + 1;
        return charge.element().isPresent()
                ? charge
                : new Charge(limit, charge.subject(), Math.min(below, limit.largestCost()));
    }

    /** Returns the decision for the call, given the decision for a peek at {@link #acquisition}. */
    Decision decision(Decision peeked) {
        List<LimitStatus> limits = new ArrayList<>();
        for (int i = 0; i < peeked.limits().size(); i++) {
            limits.add(status(i, peeked.limits().get(i), peeked.decidedAt()));
        }
        return limits.stream().noneMatch(LimitStatus::refuses)
                ? peeked
                : new Decision(false, limits, peeked.source(), peeked.decidedAt());
    }

    private LimitStatus status(int index, LimitStatus peeked, Instant now) {
        Quota quota = peeked.limit().quota();
        if (peeked.limit().algorithm().hasBurst()) {
            long above = costs.get(index) - acquisition.charges().get(index).cost();
            return later(peeked, peeked.retryAfter(), quota.refillMicros(above));
        }
        long windows = (costs.get(index) - 1) / quota.capacity();
        if (peeked.limit().algorithm().isReleased()) {
            Duration from = peeked.blocked() ? peeked.retryAfter() : Duration.ZERO;
            return later(peeked, from, windows == 0 ? 0 : Concurrency.longestRetryMicros(quota));
        }
        Duration first = Micros.longer(peeked.retryAfter(), firstAfter);
        long begun = windows == 0 ? 0 : sinceItsPartBegan(peeked.limit(), Micros.of(now.plus(first)));
        return later(peeked, first, windows * quota.windowMicros() - begun);
    }

    private static long sinceItsPartBegan(Limit limit, long micros) {
        Window window = limit.quota().window();
        if (limit.algorithm() == Algorithm.SLIDING_WINDOW_LOG) {
            return 0;
        }
        return window.period().isPresent() ? micros - window.startMicros(micros) : micros % window.partMicros();
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
                Micros.longer(status.resetAfter(), retryAfter),
                status.shard(),
                status.bannedFor(),
                status.decidedLater(),
                status.blocked());
    }
}
