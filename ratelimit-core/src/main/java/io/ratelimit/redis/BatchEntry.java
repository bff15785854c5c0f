package io.ratelimit.redis;

import io.ratelimit.Charge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Asks of a batch that ask the same: decided as one acquisition asked several times. Not thread-safe. */
final class BatchEntry {

    /** The state of each charge. */
    final BatchKey[] states;

    final List<PendingCall> asks = new ArrayList<>(1);

    BatchEntry(BatchKey[] states, PendingCall first) {
        this.states = states;
        asks.add(first);
    }

    PendingCall.Operation operation() {
        return first().operation;
    }

    List<Charge> charges() {
        return first().charges;
    }

    long takenAtMicros() {
        return first().takenAtMicros;
    }

    /** How many acquisitions are asked for: to look, once is enough for all. */
    int times() {
        return switch (operation()) {
            case ACQUIRE -> asks.size();
            case PEEK -> 1;
            case REFUND -> 0;
        };
    }

    boolean asks(BatchKey[] others, PendingCall ask) {
        return Arrays.equals(states, others) && first().costsTheSameAs(ask);
    }

    /** Whether it is alike but for its keys, which are those so many places further. */
    boolean repeats(BatchEntry other, int further) {
        if (times() != other.times() || !first().costsTheSameAs(other.first())) {
            return false;
        }
        for (int i = 0; i < states.length; i++) {
            if (states[i].index != other.states[i].index + further) {
                return false;
            }
        }
        return true;
    }

    private PendingCall first() {
        return asks.get(0);
    }
}
