package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Limit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Calls of a batch with equal operation and charges. They are decided as one acquisition with a count. Not thread-safe.
 */
final class BatchEntry {

    /** The states, one for each charge. */
    final BatchKey[] states;

    final List<PendingCall> asks = new ArrayList<>(1);

    /**
     * True if several charges share a state but have different numbers, or name elements. Then they are decided one
     * after the other, and are not merged with other calls.
     */
    final boolean ordered;

    BatchEntry(BatchKey[] states, PendingCall first) {
        this.states = states;
        this.ordered = first.operation != PendingCall.Operation.SETTLE && isOrdered(states, first);
        asks.add(first);
    }

    private static boolean isOrdered(BatchKey[] states, PendingCall call) {
        for (int i = 0; i < states.length; i++) {
            if (call.charges.get(i).element().isPresent()) {
                return true;
            }
        }
        return states.length > 1 && Arrays.stream(states).distinct().count() < states.length;
    }

    PendingCall.Operation operation() {
        return first().operation;
    }

    List<Charge> charges() {
        return first().charges;
    }

    /** Returns what a settled call cost, one number for each charge; empty for other operations. */
    long[] actual() {
        return first().actual;
    }

    long takenAtMicros() {
        return first().takenAtMicros;
    }

    /** Returns the count that is sent. A peek is made once for all calls. */
    int times() {
        return switch (operation()) {
            case ACQUIRE -> takesWhatFits() ? first().times : asks.size();
            case PEEK -> first().times;
            case SETTLE -> 0;
        };
    }

    /** Returns whether this is one call that takes as much as fits. It is not merged with other calls. */
    boolean takesWhatFits() {
        return first().times > 1;
    }

    boolean asks(BatchKey[] others, PendingCall ask) {
        return !ordered
                && !takesWhatFits()
                && ask.times == 1
                && Arrays.equals(states, others)
                && first().costsTheSameAs(ask)
                && hasQuotasOf(ask);
    }

    private boolean hasQuotasOf(PendingCall ask) {
        for (int i = 0; i < states.length; i++) {
            Limit limit = charges().get(i).limit();
            Limit other = ask.charges.get(i).limit();
            if (!limit.quota().equals(other.quota())) {
                return false;
            }
        }
        return true;
    }

    private PendingCall first() {
        return asks.get(0);
    }
}
