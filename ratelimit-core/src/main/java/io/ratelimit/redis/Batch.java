package io.ratelimit.redis;

import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.internal.Bans;
import io.ratelimit.internal.LimitId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Calls that are sent together. It contains each key once, and calls with equal charges as one entry with a count.
 * Not thread-safe.
 */
final class Batch {

    final List<PendingCall> calls;

    /** The entries in the order of the request and the reply. */
    final List<BatchEntry> entries = new ArrayList<>();

    /**
     * The limits in the order of their keys. Logs come first, because only writing them needs further rights in Redis.
     */
    final List<LimitKeys> limits = new ArrayList<>();

    private final Map<LimitId, LimitKeys> limitsById = new HashMap<>();
    private final Map<LimitId, LimitKeys> bansById = new HashMap<>(0);
    private @Nullable Limit lastLimit;
    private @Nullable LimitKeys lastKeys;
    private int size;

    Batch(List<PendingCall> calls) {
        this.calls = calls;
        calls.forEach(this::add);
        limits.sort(Comparator.comparing(limit -> limit.id.algorithm() != Algorithm.SLIDING_WINDOW_LOG));
        limits.addAll(bansById.values());
        for (LimitKeys limit : limits) {
            for (BatchKey key : limit.keys) {
                key.index = ++size;
            }
        }
    }

    /** Returns the number of keys. */
    int size() {
        return size;
    }

    Set<Algorithm> algorithms() {
        Set<Algorithm> algorithms = EnumSet.noneOf(Algorithm.class);
        limits.forEach(limit -> algorithms.add(limit.id.algorithm()));
        return algorithms;
    }

    boolean hasBans() {
        return !bansById.isEmpty();
    }

    /** Returns the earliest deadline of all calls. */
    long earliestDeadlineNanos() {
        long earliest = calls.get(0).deadlineNanos;
        for (PendingCall call : calls) {
            if (call.deadlineNanos - earliest < 0) { // a difference, because System.nanoTime() may overflow
                earliest = call.deadlineNanos;
            }
        }
        return earliest;
    }

    String[] keys(StateKeyFormat stateKeys) {
        String[] keys = new String[size];
        limits.forEach(limit -> limit.keys.forEach(key -> keys[key.index - 1] = limit.redisKey(stateKeys, key)));
        return keys;
    }

    private void add(PendingCall call) {
        BatchKey[] keys = new BatchKey[call.charges.size()];
        for (int i = 0; i < keys.length; i++) {
            Charge charge = call.charges.get(i);
            keys[i] = keysOf(charge.limit()).keyOf(charge);
        }
        for (BatchEntry entry : keys[0].entries) {
            if (entry.matches(keys, call)) {
                entry.calls.add(call);
                return;
            }
        }
        BatchEntry entry = new BatchEntry(keys, bans(call), call);
        keys[0].entries.add(entry);
        entries.add(entry);
    }

    /** Returns the key of the ban of each charge, null where its limit has none; null if none of them has. */
    private @Nullable BatchKey @Nullable [] bans(PendingCall call) {
        if (call.operation == PendingCall.Operation.SETTLE || !Bans.areIn(call.charges)) {
            return null;
        }
        @Nullable BatchKey[] bans = new BatchKey[call.charges.size()];
        for (int i = 0; i < bans.length; i++) {
            Charge charge = call.charges.get(i);
            if (charge.limit().ban().isPresent()) {
                bans[i] = bansById.computeIfAbsent(LimitId.of(charge.limit()), id -> new LimitKeys(id, true))
                        .keyOf(charge);
            }
        }
        return bans;
    }

    private LimitKeys keysOf(Limit limit) {
        if (lastKeys == null || !limit.equals(lastLimit)) { // calls of one limit mostly come one after the other
            lastLimit = limit;
            lastKeys = limitsById.computeIfAbsent(LimitId.of(limit), id -> {
                LimitKeys keys = new LimitKeys(id, false);
                limits.add(keys);
                return keys;
            });
        }
        return lastKeys;
    }
}
