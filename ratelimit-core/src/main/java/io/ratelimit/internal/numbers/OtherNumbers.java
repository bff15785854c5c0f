package io.ratelimit.internal.numbers;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.LimitId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Makes calls about limits with other numbers. */
public final class OtherNumbers {

    private OtherNumbers() {}

    /** Returns the burst of a limit that gets another number of requests, but no burst: its own one if it has one. */
    public static long burst(Limit own, long maxRequests) {
        return own.capacity() == own.maxRequests() ? maxRequests : own.capacity();
    }

    /** Returns the limit with other numbers; the own one if more than these differs. A lease or a shard has decided for another. */
    @SuppressWarnings("ReferenceEquality")
    static Limit unlessMoreDiffers(Limit own, Limit other) {
        if (other == own) {
            return own;
        }
        boolean isSame = LimitId.of(other).isOf(own)
                && other.lease() == own.lease()
                && other.shards() == own.shards()
                && other.ban().equals(own.ban());
        return isSame ? other : own;
    }

    /** Returns the charge to that limit; itself if it has that already. */
    @SuppressWarnings("ReferenceEquality") // each call passes here; a limit that is equal only changes nothing
    static Charge with(Charge charge, Limit limit) {
        return limit == charge.limit() ? charge : new Charge(limit, charge.subject(), charge.cost(), charge.element());
    }

    /** Returns the acquisition with these charges; itself if it has them already. */
    static Acquisition with(Acquisition acquisition, Charge[] charges) {
        if (isOf(acquisition, charges)) {
            return acquisition;
        }
        Acquisition once = of(acquisition, charges);
        if (once.charges().size() != charges.length) {
            withOwnPlans(charges, acquisition.charges());
            once = of(acquisition, charges);
        }
        return acquisition.times() == 1 ? once : once.upTo(acquisition.times());
    }

    @SuppressWarnings("ReferenceEquality")
    private static boolean isOf(Acquisition acquisition, Charge[] charges) {
        for (int i = 0; i < charges.length; i++) {
            if (charges[i] != acquisition.charges().get(i)) {
                return false;
            }
        }
        return true;
    }

    private static Acquisition of(Acquisition acquisition, Charge[] charges) {
        return new Acquisition(List.of(charges), acquisition.onStoreFailure(), 1, acquisition.maxWait());
    }

    /** Two charges that get the same numbers stay two by their plans, for their callers expect two answers. */
    private static void withOwnPlans(Charge[] charges, List<Charge> own) {
        Arrays.setAll(
                charges,
                i -> with(
                        charges[i], withPlan(charges[i].limit(), plan(own.get(i).limit(), i))));
    }

    /** Returns the own plan of a limit; of one without a plan its place in the call, but with shards, which have none. */
    private static Optional<String> plan(Limit own, int place) {
        return place == 0 || own.plan().isPresent() || own.shards() > 1
                ? own.plan()
                : Optional.of(Integer.toString(place + 1));
    }

    /** A limit with a plan has no lease; nor has a call of several charges any use for it. */
    private static Limit withPlan(Limit limit, Optional<String> plan) {
        return new Limit(
                limit.name(),
                limit.algorithm(),
                limit.quota(),
                plan.isPresent() ? 1 : limit.lease(),
                limit.shards(),
                limit.ban(),
                plan,
                limit.reportOnly());
    }
}
