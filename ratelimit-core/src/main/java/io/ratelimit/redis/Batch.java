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

    final List<Ask> asks = new ArrayList<>();
    final List<Ask> leftOut = new ArrayList<>();

    /** In the order in which request and reply speak of them. */
    final List<Group> groups = new ArrayList<>();

    /** In the order of the keys. */
    final List<LimitStates> limits = new ArrayList<>();

    private int size;

    Batch(List<Ask> asks) {
        for (Ask ask : asks) {
            if (agrees(ask)) {
                add(ask);
            } else {
                leftOut.add(ask);
            }
        }
        for (LimitStates limit : limits) {
            for (State state : limit.states) {
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
        for (Ask ask : asks) {
            if (ask.deadlineNanos - earliest < 0) { // as System.nanoTime() asks for: it may wrap
                earliest = ask.deadlineNanos;
            }
        }
        return earliest;
    }

    String[] keys(StateKeys stateKeys) {
        String[] keys = new String[size];
        limits.forEach(limit -> limit.states.forEach(state -> keys[state.index - 1] = stateKeys.key(state.charge)));
        return keys;
    }

    private boolean agrees(Ask ask) {
        for (int i = 0; i < ask.charges.size(); i++) {
            Limit limit = ask.charges.get(i).limit();
            LimitStates known = known(limit);
            if (known != null && !known.agreesWith(limit)) {
                return false;
            }
        }
        return true;
    }

    private void add(Ask ask) {
        asks.add(ask);
        State[] states = new State[ask.charges.size()];
        for (int i = 0; i < states.length; i++) {
            states[i] = statesOf(ask.charges.get(i).limit()).state(ask.charges.get(i));
        }
        for (Group group : states[0].groups) {
            if (group.asks(states, ask)) {
                group.asks.add(ask);
                return;
            }
        }
        Group group = new Group(states, ask);
        states[0].groups.add(group);
        groups.add(group);
    }

    private LimitStates statesOf(Limit limit) {
        LimitStates known = known(limit);
        if (known == null) {
            known = new LimitStates(limit);
            limits.add(known);
        }
        return known;
    }

    private @Nullable LimitStates known(Limit limit) {
        for (LimitStates states : limits) {
            if (states.isOf(limit)) {
                return states;
            }
        }
        return null;
    }
}
