package io.ratelimit.spring.internal.rule;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Stages;
import io.ratelimit.spring.internal.rule.CallLimiter.Unresolved;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Settles what a decision charged a call, each charge once: all of it when the call has ended, or before what is known by
 * then. A call of two limits, of which one counts tokens by an expression, frees its slot with the response, and is settled
 * at its tokens when they are known. Thread-safe.
 */
final class Settlement {

    private final RateLimiter limiter;
    private final Unresolved.Listener unresolved;
    private final CallCharges charges;
    private final Decision decision;
    private final BooleanSupplier isRunning;
    private final Consumer<Settlement> whenFree;

    /** Indexes of the charges that are not settled. */
    private final BitSet open = new BitSet();

    /**
     * @param isRunning false when the application breaks calls off
     * @param whenFree gets this when it holds no slots any more
     */
    Settlement(
            RateLimiter limiter,
            Unresolved.Listener unresolved,
            CallCharges charges,
            Decision decision,
            BooleanSupplier isRunning,
            Consumer<Settlement> whenFree) {
        this.limiter = limiter;
        this.unresolved = unresolved;
        this.charges = charges;
        this.decision = decision;
        this.isRunning = isRunning;
        this.whenFree = whenFree;
        open.set(0, charges.acquisition().charges().size());
    }

    /** Settles what does not depend on what the application may still say; returns true if that is all there is. */
    boolean settleKnown(Ending ending) {
        if (isBrokenOff(ending)) {
            return true;
        }
        BitSet later = charges.knownLater(ending);
        settleBut(later, ending);
        return later.isEmpty();
    }

    /** Settles what is not settled yet. */
    void settle(Ending ending) {
        if (isBrokenOff(ending)) {
            freeSlots();
        } else {
            settle(take(new BitSet()), ending);
        }
    }

    private boolean isBrokenOff(Ending ending) {
        return (ending.failed() || ending.cutOff()) && !isRunning.getAsBoolean();
    }

    /** Gives the slots back, and leaves all else to the end of the call. */
    void freeSlots() {
        List<Charge> all = charges.acquisition().charges();
        BitSet others = new BitSet();
        for (int i = 0; i < all.size(); i++) {
            others.set(i, !all.get(i).limit().algorithm().isReleased());
        }
        settleBut(others, Ending.cancelled(null));
        whenFree.accept(this);
    }

    private void settleBut(BitSet kept, Ending ending) {
        if (kept.isEmpty() || isDivisible()) {
            settle(take(kept), ending);
        }
    }

    private synchronized BitSet take(BitSet kept) {
        BitSet taken = (BitSet) open.clone();
        taken.andNot(kept);
        open.and(kept);
        if (open.isEmpty()) {
            whenFree.accept(this);
        }
        return taken;
    }

    private void settle(BitSet indexes, Ending ending) {
        if (indexes.isEmpty()) {
            return;
        }
        List<Charge> all = charges.acquisition().charges();
        List<Charge> settled = indexes.stream().mapToObj(all::get).toList();
        boolean isAll = settled.size() == all.size();
        Stages.call(() -> limiter.settleAsync(
                        isAll ? charges.acquisition() : new Acquisition(settled),
                        isAll ? decision : partOf(indexes),
                        charges.actual(indexes, ending, unresolved)))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        settled.forEach(charge -> unresolved.onUnresolved(charge.limit(), Unresolved.STORE));
                    }
                });
    }

    /** False for a decision that no store made, and for one that was let through, of which every part must show that. */
    private boolean isDivisible() {
        List<LimitStatus> limits = decision.limits();
        return limits.size() + decision.reported().size()
                        == charges.acquisition().charges().size()
                && limits.stream().noneMatch(LimitStatus::refuses);
    }

    /** Limits that only report are answered apart. */
    private Decision partOf(BitSet indexes) {
        Iterator<LimitStatus> enforcing = decision.limits().iterator();
        Iterator<Decision> reporting = decision.reported().iterator();
        List<LimitStatus> limits = new ArrayList<>();
        List<Decision> reported = new ArrayList<>();
        List<Charge> all = charges.acquisition().charges();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).limit().reportOnly() && reporting.hasNext()) {
                addIf(indexes.get(i), reporting.next(), reported);
            } else {
                addIf(indexes.get(i), enforcing.next(), limits);
            }
        }
        return new Decision(true, limits, decision.source(), decision.decidedAt(), decision.taken(), reported);
    }

    private static <T> void addIf(boolean wanted, T one, List<T> list) {
        if (wanted) {
            list.add(one);
        }
    }
}
