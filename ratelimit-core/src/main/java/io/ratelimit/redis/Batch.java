package io.ratelimit.redis;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks that leave together: each state once, and asks that ask the same as one acquisition asked several times. Asks
 * that know a limit by other numbers than an earlier one does are left out. Not thread-safe.
 */
final class Batch {

    final List<PendingCall> asks = new ArrayList<>();
    final List<PendingCall> leftOut = new ArrayList<>();

    /** In the order in which request and reply speak of them. */
    final List<BatchEntry> groups = new ArrayList<>();

    /** In the order of the keys. */
    final List<LimitKeys> limits = new ArrayList<>();

    private int size;

    Batch(List<PendingCall> asks) {
        for (PendingCall ask : asks) {
            if (agrees(ask)) {
                add(ask);
            } else {
                leftOut.add(ask);
            }
        }
        for (LimitKeys limit : limits) {
            for (BatchKey state : limit.states) {
                state.index = ++size;
            }
        }
    }

    /** How many states they ask for. */
    int size() {
        return size;
    }

    Set<Algorithm> algorithms() {
        Set<Algorithm> algorithms = EnumSet.noneOf(Algorithm.class);
        limits.forEach(states -> algorithms.add(states.limit.algorithm()));
        return algorithms;
    }

    /** When the first of the callers will have gone. */
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
        limits.forEach(limit -> limit.states.forEach(state -> keys[state.index - 1] = stateKeys.key(state.charge)));
        return keys;
    }

    private boolean agrees(PendingCall ask) {
        for (int i = 0; i < ask.charges.size(); i++) {
            Limit limit = ask.charges.get(i).limit();
            LimitKeys known = known(limit);
            if (known != null && !known.agreesWith(limit)) {
                return false;
            }
        }
        return true;
    }

    private void add(PendingCall ask) {
        asks.add(ask);
        BatchKey[] states = new BatchKey[ask.charges.size()];
        for (int i = 0; i < states.length; i++) {
            states[i] = statesOf(ask.charges.get(i).limit()).state(ask.charges.get(i));
        }
        for (BatchEntry group : states[0].groups) {
            if (group.asks(states, ask)) {
                group.asks.add(ask);
                return;
            }
        }
        BatchEntry group = new BatchEntry(states, ask);
        states[0].groups.add(group);
        groups.add(group);
    }

    private LimitKeys statesOf(Limit limit) {
        LimitKeys known = known(limit);
        if (known == null) {
            known = new LimitKeys(limit);
            limits.add(known);
        }
        return known;
    }

    private @Nullable LimitKeys known(Limit limit) {
        for (LimitKeys states : limits) {
            if (states.isOf(limit)) {
                return states;
            }
        }
        return null;
    }
}
