package io.ratelimit.internal.redis;

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

    /** The keys of the states, one for each charge. */
    final Batch.Key[] keys;

    /** The key of the ban of each charge, null where its limit has none; null if none of them has. */
    final @Nullable Batch.Key @Nullable [] bans;

    final List<PendingCall> calls = new ArrayList<>(1);

    /**
     * True if several charges share a key but have different numbers, or name elements. Then they are decided one
     * after the other, and are not merged with other calls.
     */
    final boolean ordered;

    BatchEntry(Batch.Key[] keys, @Nullable Batch.Key @Nullable [] bans, PendingCall first) {
        this.keys = keys;
        this.bans = bans;
        this.ordered = !first.operation.changesOnly() && isOrdered(keys, first);
        calls.add(first);
    }

    private static boolean isOrdered(Batch.Key[] keys, PendingCall call) {
        for (int i = 0; i < keys.length; i++) {
            if (call.charges.get(i).element().isPresent()) {
                return true;
            }
        }
        return keys.length > 1 && Arrays.stream(keys).distinct().count() < keys.length;
    }

    Operation operation() {
        return first().operation;
    }

    /** Returns the letter of the operation in a request to {@code engine.lua}. */
    char code() {
        char code = operation().code;
        return bans != null ? operation().codeWithBans : ordered ? Character.toLowerCase(code) : code;
    }

    /** Returns the charge that a row of the request belongs to, counted from 1. A ban has rows behind its charge. */
    Charge chargeOf(int row) {
        int left = row - 1;
        for (int i = 0; bans != null && i < keys.length; i++) {
            int rows = 1 + EngineRequest.rowsOf(charges().get(i).limit().ban());
            if (left < rows) {
                return charges().get(i);
            }
            left -= rows;
        }
        return charges().get(left);
    }

    List<Charge> charges() {
        return first().charges;
    }

    /** Returns what a settled call cost, one number for each charge, or the length of a block; empty for other operations. */
    long[] actual() {
        return first().actual();
    }

    /** Returns the resetAfter of each charge when it was decided, or of calls in flight what may stay now; empty unless it is settled. */
    long[] resetAfterMicros() {
        return first().resetAfterMicros();
    }

    /** Returns whether the end of a call must not free more than its own cost of what is charged. */
    boolean freesOwnAlone(int charge) {
        return first().freesOwnAlone(charge);
    }

    long takenAtMicros() {
        return first().takenAtMicros();
    }

    /** Returns the count that is sent. A peek is made once for all calls. */
    int times() {
        return switch (operation()) {
            case ACQUIRE, TRY -> takesWhatFits() ? first().times : calls.size();
            case PEEK -> first().times;
            case SETTLE, FAIL, BAN, BLOCK -> 0;
        };
    }

    /** Returns whether this is one call that takes as much as fits. It is not merged with other calls. */
    boolean takesWhatFits() {
        return first().times > 1;
    }

    /** Returns whether a call with these keys has the same operation and charges, so that it can be added. */
    boolean matches(Batch.Key[] callKeys, PendingCall call) {
        return !ordered
                && bans == null
                && !takesWhatFits()
                && call.times == 1
                && Arrays.equals(keys, callKeys)
                && first().costsTheSameAs(call)
                && hasLimitsOf(call);
    }

    /** The answer names the limits of the first call, with their plans. */
    private boolean hasLimitsOf(PendingCall call) {
        for (int i = 0; i < keys.length; i++) {
            Limit limit = charges().get(i).limit();
            Limit other = call.charges.get(i).limit();
            if (!limit.equals(other) || other.ban().isPresent()) {
                return false;
            }
        }
        return true;
    }

    private PendingCall first() {
        return calls.get(0);
    }
}
