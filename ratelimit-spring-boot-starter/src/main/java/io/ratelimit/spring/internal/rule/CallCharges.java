package io.ratelimit.spring.internal.rule;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.StateId;
import io.ratelimit.spring.internal.rule.CallLimiter.Unresolved;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.springframework.util.function.SingletonSupplier;

/**
 * The charges of a call, and what is settled when it ends. Immutable and thread-safe.
 *
 * @param shares what is settled or released when the call ends; empty if nothing is
 * @param unresolved limits that count the call otherwise than configured, and why
 * @param otherElements limits that would count a second element of one subject, which is left out
 */
public record CallCharges(
        Acquisition acquisition, List<Share> shares, List<Unresolved.Part> unresolved, List<Limit> otherElements) {

    /** The charge of one rule to some of its limits. The acquisition merges equal charges of several rules. */
    record Share(Rule rule, List<Limit> limits, Call call, String subject, long cost) {}

    public CallCharges {
        shares = List.copyOf(shares);
        unresolved = List.copyOf(unresolved);
        otherElements = List.copyOf(otherElements);
    }

    /** Creates the charges of a call that settles nothing when it ends. */
    public CallCharges(Acquisition acquisition) {
        this(acquisition, List.of(), List.of(), List.of());
    }

    /**
     * Makes one acquisition of the charges. A call has one element of a subject: of several, the first is counted.
     *
     * @throws io.ratelimit.CostExceedsCapacityException if they cost more than a limit can ever admit
     */
    static CallCharges of(
            List<Charge> charges,
            Optional<FailurePolicy> policy,
            List<Share> shares,
            List<Unresolved.Part> unresolved) {
        List<Limit> otherElements = new ArrayList<>(0);
        List<Charge> counted = charges.size() == 1 ? charges : ofFirstElements(charges, otherElements);
        return new CallCharges(new Acquisition(counted, policy), shares, unresolved, otherElements);
    }

    private static List<Charge> ofFirstElements(List<Charge> charges, List<Limit> others) {
        Map<StateId, String> first = new HashMap<>(0);
        List<Charge> counted = new ArrayList<>(charges);
        counted.replaceAll(charge -> {
            if (charge.element().isEmpty()) {
                return charge;
            }
            String element = charge.element().get();
            String earlier = first.putIfAbsent(StateId.of(charge), element);
            if (earlier == null || earlier.equals(element)) {
                return charge;
            }
            others.add(charge.limit());
            return new Charge(charge.limit(), charge.subject(), earlier);
        });
        return counted;
    }

    /** Joins the parts to one decision, under the strictest policy; empty if there are none. */
    public static Optional<CallCharges> together(List<CallCharges> parts) {
        if (parts.size() <= 1) {
            return parts.isEmpty() ? Optional.empty() : Optional.of(parts.get(0));
        }
        List<Charge> charges = parts.stream()
                .flatMap(one -> one.acquisition.charges().stream())
                .toList();
        Optional<FailurePolicy> policy = parts.stream()
                .flatMap(one -> one.acquisition.onStoreFailure().stream())
                .reduce(FailurePolicy::stricter);
        return Optional.of(of(
                charges,
                policy,
                parts.stream().flatMap(one -> one.shares.stream()).toList(),
                parts.stream().flatMap(one -> one.unresolved.stream()).toList()));
    }

    /** Returns the same charges for a call that may wait until it fits. */
    public CallCharges withMaxWait(Duration maxWait) {
        return maxWait.equals(acquisition.maxWait())
                ? this
                : new CallCharges(acquisition.withMaxWait(maxWait), shares, unresolved, otherElements);
    }

    /** Returns the charges whose cost an expression says, over what the application may set when the response is sent. */
    BitSet knownLater(Ending ending) {
        BitSet later = new BitSet();
        for (Share share : shares) {
            Settling settling = share.rule.settling();
            if (settling.isLate()) {
                share.limits.stream()
                        .filter(limit -> Settling.corrects(limit) && settling.counts(limit, ending))
                        .forEach(limit -> later.set(indexOf(limit, share.subject)));
            }
        }
        return later;
    }

    /** Returns the actual cost of each of these charges. Where it is not known, that is what was charged. */
    long[] actual(BitSet indexes, Ending ending, Unresolved.Listener listener) {
        List<Charge> charges = acquisition.charges();
        long[] actual = charges.stream().mapToLong(Charge::cost).toArray();
        for (Share share : shares) {
            Settling settling = share.rule.settling();
            SingletonSupplier<OptionalLong> once =
                    SingletonSupplier.of(() -> settling.actual(share.call, share.cost, ending));
            for (Limit limit : share.limits) {
                int index = indexOf(limit, share.subject);
                if (Settling.corrects(limit) && indexes.get(index)) {
                    OptionalLong cost = settling.counts(limit, ending) ? once.obtain() : OptionalLong.of(0);
                    cost.ifPresentOrElse(
                            known ->
                                    actual[index] = Math.max(0, actual[index] + known - share.cost), // a sum has an end
                            () -> listener.onUnresolved(limit, Unresolved.ACTUAL_COST));
                }
            }
        }
        return indexes.stream().mapToLong(index -> actual[index]).toArray();
    }

    private int indexOf(Limit limit, String subject) {
        List<Charge> charges = acquisition.charges();
        int index = 0;
        while (!charges.get(index).limit().equals(limit)
                || !charges.get(index).subject().equals(subject)) {
            index++;
        }
        return index;
    }
}
