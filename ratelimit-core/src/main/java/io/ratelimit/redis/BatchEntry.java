package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Limit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a batch with equal operation and charges. They are decided as one acquisition with a count. Not thread-safe.
 */
final class BatchEntry {

    /** The states, one for each charge. */
    final BatchKey[] states;

    /** The key of the ban of each charge, null where its limit has none; null if none of them has. */
    final @Nullable BatchKey @Nullable [] bans;

    final List<PendingCall> asks = new ArrayList<>(1);

    /**
     * True if several charges share a state but have different numbers, or name elements. Then they are decided one
     * after the other, and are not merged with other calls.
     */
    final boolean ordered;

    BatchEntry(BatchKey[] states, @Nullable BatchKey @Nullable [] bans, PendingCall first) {
        this.states = states;
        this.bans = bans;
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

    /** Returns the letter of the operation in a request to {@code engine.lua}. */
    char code() {
        char code = operation().code;
        return bans != null ? operation().codeWithBans : ordered ? Character.toLowerCase(code) : code;
    }

    /** Returns the charge that an entry of the request belongs to, counted from 1. A ban has entries behind its charge. */
    Charge chargeOf(int entry) {
        int left = entry - 1;
        for (int i = 0; bans != null && i < states.length; i++) {
            int entries = 1 + EngineRequest.entriesOf(charges().get(i).limit().ban());
            if (left < entries) {
                return charges().get(i);
            }
            left -= entries;
        }
        return charges().get(left);
    }

    List<Charge> charges() {
        return first().charges;
    }

    /** Returns what a settled call cost, one number for each charge; empty for other operations. */
    long[] actual() {
        return first().actual;
    }

    /** Returns the resetAfter of each charge when it was decided; empty unless it is settled. */
    long[] resetAfterMicros() {
        return first().resetAfterMicros;
    }

    long takenAtMicros() {
        return first().takenAtMicros;
    }

    /** Returns the count that is sent. A peek is made once for all calls. */
    int times() {
        return switch (operation()) {
            case ACQUIRE, TRY -> takesWhatFits() ? first().times : asks.size();
            case PEEK -> first().times;
            case SETTLE, FAIL, BAN -> 0;
        };
    }

    /** Returns whether this is one call that takes as much as fits. It is not merged with other calls. */
    boolean takesWhatFits() {
        return first().times > 1;
    }

    boolean asks(BatchKey[] others, PendingCall ask) {
        return !ordered
                && bans == null
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
            if (!limit.quota().equals(other.quota()) || other.ban().isPresent()) {
                return false;
            }
        }
        return true;
    }

    private PendingCall first() {
        return asks.get(0);
    }
}
