package io.ratelimit.redis;

import io.ratelimit.Algorithm;
import io.ratelimit.algorithm.Quota;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Asks that leave together, in the words of {@code engine.lua}: each state key once, and asks that ask the same as one
 * acquisition asked several times. Asks that know a limit by other numbers than an earlier one does are left out, for
 * a state is opened under one set of numbers only. Not thread-safe.
 */
final class Batch {

    final List<Ask> asks = new ArrayList<>();
    final List<Ask> leftOut = new ArrayList<>();

    /** Asks that ask the same, in the order in which the reply speaks of them. */
    final List<List<Ask>> groups = new ArrayList<>();

    final Set<Algorithm> algorithms = EnumSet.noneOf(Algorithm.class);
    private final Map<String, State> states = new HashMap<>();
    private final List<String> keys = new ArrayList<>();
    private final List<String> args = new ArrayList<>();

    /** A key of the batch, and the groups whose first charge is of it. */
    private record State(String index, Quota quota, List<List<Ask>> groups) {}

    /** @param deadlineMicros the store's time after which the first of the callers has gone */
    Batch(List<Ask> asks, long deadlineMicros) {
        args.add(Long.toString(deadlineMicros));
        for (Ask ask : asks) {
            if (agrees(ask)) {
                add(ask);
            } else {
                leftOut.add(ask);
            }
        }
        groups.forEach(this::addAcquisition);
    }

    String[] keys() {
        return keys.toArray(String[]::new);
    }

    String[] args() {
        return args.toArray(String[]::new);
    }

    private boolean agrees(Ask ask) {
        for (int i = 0; i < ask.keys.length; i++) {
            State known = states.get(ask.keys[i]);
            if (known != null && !known.quota.equals(ask.charges.get(i).limit().quota())) {
                return false;
            }
        }
        return true;
    }

    private void add(Ask ask) {
        asks.add(ask);
        for (int i = ask.keys.length - 1; i >= 1; i--) {
            state(ask, i);
        }
        List<List<Ask>> candidates = state(ask, 0).groups;
        for (List<Ask> group : candidates) {
            if (group.get(0).asksTheSameAs(ask)) {
                group.add(ask);
                return;
            }
        }
        List<Ask> group = new ArrayList<>(1);
        group.add(ask);
        candidates.add(group);
        groups.add(group);
    }

    private State state(Ask ask, int charge) {
        State known = states.get(ask.keys[charge]);
        if (known != null) {
            return known;
        }
        Algorithm algorithm = ask.charges.get(charge).limit().algorithm();
        Quota quota = ask.charges.get(charge).limit().quota();
        keys.add(ask.keys[charge]);
        State state = new State(Integer.toString(keys.size()), quota, new ArrayList<>(1));
        states.put(ask.keys[charge], state);
        algorithms.add(algorithm);
        args.add(algorithm.label());
        args.add(Long.toString(quota.maxRequests()));
        args.add(Long.toString(quota.windowMicros()));
        args.add(Long.toString(quota.capacity()));
        return state;
    }

    private void addAcquisition(List<Ask> group) {
        Ask ask = group.get(0);
        if (ask.operation == Ask.Operation.ACQUIRE && group.size() > 1) {
            args.add("acquire-many");
            args.add(Integer.toString(group.size()));
        } else {
            args.add(ask.operation.word);
        }
        if (ask.operation == Ask.Operation.REFUND) {
            args.add(Long.toString(ask.takenAtMicros));
        }
        args.add(Integer.toString(ask.keys.length));
        for (int i = 0; i < ask.keys.length; i++) {
            args.add(state(ask, i).index);
            args.add(Long.toString(ask.charges.get(i).cost()));
        }
    }
}
