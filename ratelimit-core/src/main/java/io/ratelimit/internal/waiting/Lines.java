package io.ratelimit.internal.waiting;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.internal.StateId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The calls that wait: for each set of states a line, in the order in which they came. Bounded. Thread-safe. */
final class Lines {

    /** Where a call stands after it joined. */
    enum Place {
        FIRST,
        BEHIND,
        /** Nowhere: too many calls wait. */
        NONE
    }

    private static final int MOST_IN_LINE = 1_000;
    private static final int MOST = 10_000;

    // guarded by this
    private final Map<Set<StateId>, Deque<Waiter>> lines = new HashMap<>();
    private boolean closed;

    private volatile int size;

    /**
     * Returns the states that an acquisition charges. Calls with the same states wait in one line, in whatever order they
     * name them.
     */
    static Set<StateId> states(Acquisition acquisition) {
        List<Charge> charges = acquisition.charges();
        return charges.size() == 1
                ? Set.of(StateId.of(charges.get(0)))
                : charges.stream().map(StateId::of).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns how many calls wait. */
    int size() {
        return size;
    }

    /** Returns whether others wait for the states of the call. */
    boolean areAheadOf(Waiter waiter) {
        return size > 0 && first(waiter.line) != null;
    }

    synchronized Place join(Waiter waiter) {
        Deque<Waiter> line = lines.get(waiter.line);
        if (closed || size >= MOST || (line != null && line.size() >= MOST_IN_LINE)) {
            return Place.NONE;
        }
        size++;
        if (line != null) {
            line.add(waiter);
            return Place.BEHIND;
        }
        lines.put(waiter.line, new ArrayDeque<>(List.of(waiter)));
        return Place.FIRST;
    }

    /** Removes the call if it waits; returns the call that becomes first by that, if there is one. */
    synchronized @Nullable Waiter leave(Waiter waiter) {
        if (size == 0) {
            return null;
        }
        Deque<Waiter> line = lines.get(waiter.line);
        boolean wasFirst = line != null && line.peek() == waiter;
        if (line == null || !line.remove(waiter)) {
            return null;
        }
        size--;
        if (line.isEmpty()) {
            lines.remove(waiter.line);
        }
        return wasFirst ? line.peek() : null;
    }

    /** Returns the call that has waited longest for these states. */
    synchronized @Nullable Waiter first(Set<StateId> states) {
        Deque<Waiter> line = lines.get(states);
        return line == null ? null : line.peek();
    }

    /** Returns the first calls of all lines that wait for this state, alone or among others. */
    synchronized List<Waiter> firstsOf(StateId state) {
        return lines.entrySet().stream()
                .filter(line -> line.getKey().contains(state))
                .map(line -> line.getValue().element())
                .toList();
    }

    synchronized boolean isFirst(Waiter waiter) {
        return first(waiter.line) == waiter;
    }

    synchronized boolean isBehind(Waiter waiter) {
        Deque<Waiter> line = lines.get(waiter.line);
        return line != null && line.peek() != waiter && line.contains(waiter);
    }

    /**
     * Returns for each charge what the call and those ahead of it cost together. Leaves out a call whose attempt is in
     * flight: if the store admits it, it charges it before it answers the next call.
     */
    synchronized List<Long> costsUpTo(Waiter waiter) {
        List<Charge> charges = waiter.acquisition.charges();
        long[] costs = charges.stream().mapToLong(Charge::cost).toArray();
        for (Waiter ahead : lines.getOrDefault(waiter.line, new ArrayDeque<>())) {
            if (ahead == waiter) {
                break;
            }
            if (!ahead.isInFlight()) {
                for (int i = 0; i < ahead.states.size(); i++) {
                    int same = waiter.states.indexOf(ahead.states.get(i));
                    costs[same] += ahead.acquisition.charges().get(i).cost();
                }
            }
        }
        return Arrays.stream(costs).boxed().toList();
    }

    /** Stops further calls from joining; returns all that wait. */
    synchronized List<Waiter> close() {
        closed = true;
        List<Waiter> all = new ArrayList<>();
        lines.values().forEach(all::addAll);
        return all;
    }
}
