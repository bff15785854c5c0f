package io.ratelimit.redis;

import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.algorithm.Quota;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Asks that leave together, in the words of {@code engine.lua}: each state key once, and asks of one shape as one
 * acquisition asked several times. Asks that know a limit by other numbers than an earlier one does are left out, for
 * a state is opened under one set of numbers only. Not thread-safe.
 */
final class Batch {

    final List<Ask> asks = new ArrayList<>();
    final List<Ask> leftOut = new ArrayList<>();
    private final Map<Object, List<Ask>> groups = new LinkedHashMap<>();
    private final Map<String, Integer> keyIndexes = new LinkedHashMap<>();
    private final List<Quota> quotas = new ArrayList<>();
    private final List<String> args = new ArrayList<>();

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
        groups.values().forEach(this::addAcquisition);
    }

    Set<Algorithm> algorithms() {
        Set<Algorithm> algorithms = EnumSet.noneOf(Algorithm.class);
        asks.forEach(ask -> ask.shape
                .charges()
                .forEach(charge -> algorithms.add(charge.limit().algorithm())));
        return algorithms;
    }

    String[] keys() {
        return keyIndexes.keySet().toArray(String[]::new);
    }

    String[] args() {
        return args.toArray(String[]::new);
    }

    /** Asks of one shape, in the order in which the reply speaks of them. */
    Iterable<List<Ask>> groups() {
        return groups.values();
    }

    private boolean agrees(Ask ask) {
        for (int i = 0; i < ask.keys.size(); i++) {
            Integer known = keyIndexes.get(ask.keys.get(i));
            if (known != null
                    && !quotas.get(known - 1)
                            .equals(ask.shape.charges().get(i).limit().quota())) {
                return false;
            }
        }
        return true;
    }

    private void add(Ask ask) {
        asks.add(ask);
        addKeys(ask);
        Object group = ask.shape.operation() == Ask.Operation.REFUND ? ask : ask.shape;
        groups.computeIfAbsent(group, shape -> new ArrayList<>(1)).add(ask);
    }

    private void addKeys(Ask ask) {
        for (int i = 0; i < ask.keys.size(); i++) {
            if (keyIndexes.putIfAbsent(ask.keys.get(i), keyIndexes.size() + 1) == null) {
                addLimit(ask.shape.charges().get(i));
            }
        }
    }

    private void addLimit(Charge charge) {
        Quota quota = charge.limit().quota();
        quotas.add(quota);
        args.add(charge.limit().algorithm().label());
        args.add(Long.toString(quota.maxRequests()));
        args.add(Long.toString(quota.windowMicros()));
        args.add(Long.toString(quota.capacity()));
    }

    private void addAcquisition(List<Ask> group) {
        Ask ask = group.get(0);
        args.add(ask.shape.operation().word);
        args.add(
                switch (ask.shape.operation()) {
                    case ACQUIRE -> Integer.toString(group.size());
                    case PEEK -> "1";
                    case REFUND -> Long.toString(ask.shape.takenAtMicros());
                });
        args.add(Integer.toString(ask.keys.size()));
        for (int i = 0; i < ask.keys.size(); i++) {
            args.add(String.valueOf(keyIndexes.get(ask.keys.get(i))));
            args.add(Long.toString(ask.shape.charges().get(i).cost()));
        }
    }
}
