package io.ratelimit.spring.rule;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.spring.key.Call;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a call asks of the limiter. Immutable and thread-safe.
 *
 * @param shares what is settled or released when the call ends; empty if nothing is
 * @param withoutElement limits that count the client's address, because the call names no element
 */
public record Asked(Acquisition acquisition, List<Share> shares, List<Limit> withoutElement) {

    /** What one rule charged to each of its limits. The acquisition merges equal charges of several rules. */
    record Share(Rule rule, Call call, String subject, long cost) {}

    public Asked {
        shares = List.copyOf(shares);
        withoutElement = List.copyOf(withoutElement);
    }

    /** Nothing is to be done when the call ends. */
    public Asked(Acquisition acquisition) {
        this(acquisition, List.of(), List.of());
    }

    /** The same as one decision, under the strictest policy; empty if nothing is asked. */
    public static Optional<Asked> together(List<Asked> asked) {
        if (asked.size() <= 1) {
            return asked.stream().findFirst();
        }
        List<Charge> charges = asked.stream()
                .flatMap(one -> one.acquisition.charges().stream())
                .toList();
        Optional<FailurePolicy> policy = asked.stream()
                .flatMap(one -> one.acquisition.onStoreFailure().stream())
                .reduce(FailurePolicy::stricter);
        return Optional.of(new Asked(
                new Acquisition(charges, policy),
                asked.stream().flatMap(one -> one.shares.stream()).toList(),
                asked.stream().flatMap(one -> one.withoutElement.stream()).toList()));
    }

    /** What the call cost, one number for each charge. What is not known counts as charged. */
    long[] actual(Ending ending, Unresolved.Listener unresolved) {
        List<Charge> charges = acquisition.charges();
        long[] actual = charges.stream().mapToLong(Charge::cost).toArray();
        for (Share share : shares) {
            OptionalLong cost = share.rule.settling().actual(share.call, share.cost, ending);
            for (Limit limit : share.rule.limits()) {
                if (Settling.corrects(limit)) {
                    cost.ifPresentOrElse(
                            known -> actual[indexOf(limit, share.subject)] += known - share.cost,
                            () -> unresolved.onUnresolved(limit, Unresolved.ACTUAL_COST));
                }
            }
        }
        return actual;
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
