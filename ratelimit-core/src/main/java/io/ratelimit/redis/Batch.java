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
 * Calls that are sent together. It contains each state once, and calls with equal charges as one entry with a count.
 * Not thread-safe.
 */
final class Batch {

    final List<PendingCall> asks;

    /** The entries in the order of the request and the reply. */
    final List<BatchEntry> groups = new ArrayList<>();

    /**
     * The limits in the order of their keys. Logs come first, because only writing them needs further rights in Redis.
     */
    final List<LimitKeys> limits = new ArrayList<>();

    private final Map<LimitId, LimitKeys> limitsById = new HashMap<>();
    private final Map<LimitId, LimitKeys> bansById = new HashMap<>(0);
    private @Nullable Limit lastLimit;
    private @Nullable LimitKeys lastKeys;
    private int size;

    Batch(List<PendingCall> asks) {
        this.asks = asks;
        asks.forEach(this::add);
        limits.sort(Comparator.comparing(limit -> limit.id.algorithm() != Algorithm.SLIDING_WINDOW_LOG));
        limits.addAll(bansById.values());
        for (LimitKeys limit : limits) {
            for (BatchKey state : limit.states) {
                state.index = ++size;
            }
        }
    }

    /** Returns the number of states, which is the number of keys. */
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
        long earliest = asks.get(0).deadlineNanos;
        for (PendingCall ask : asks) {
            if (ask.deadlineNanos - earliest < 0) { // as System.nanoTime() asks for: it may wrap
                earliest = ask.deadlineNanos;
            }
        }
        return earliest;
    }

    String[] keys(StateKeyFormat stateKeys) {
        String[] keys = new String[size];
        limits.forEach(limit -> limit.states.forEach(state -> keys[state.index - 1] = limit.key(stateKeys, state)));
        return keys;
    }

    private void add(PendingCall ask) {
        BatchKey[] states = new BatchKey[ask.charges.size()];
        for (int i = 0; i < states.length; i++) {
            Charge charge = ask.charges.get(i);
            states[i] = keysOf(charge.limit()).state(charge);
        }
        for (BatchEntry group : states[0].groups) {
            if (group.asks(states, ask)) {
                group.asks.add(ask);
                return;
            }
        }
        BatchEntry group = new BatchEntry(states, bans(ask), ask);
        states[0].groups.add(group);
        groups.add(group);
    }

    /** Returns the key of the ban of each charge, null where its limit has none; null if none of them has. */
    private @Nullable BatchKey @Nullable [] bans(PendingCall ask) {
        if (ask.operation == PendingCall.Operation.SETTLE || !Bans.areIn(ask.charges)) {
            return null;
        }
        @Nullable BatchKey[] bans = new BatchKey[ask.charges.size()];
        for (int i = 0; i < bans.length; i++) {
            Charge charge = ask.charges.get(i);
            if (charge.limit().ban().isPresent()) {
                bans[i] = bansById.computeIfAbsent(LimitId.of(charge.limit()), id -> new LimitKeys(id, true))
                        .state(charge);
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
