package io.ratelimit.internal.waiting;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.StateId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The calls that wait or may have to: for each set of limits and subjects a line, in the order in which they came. Limits with
 * other numbers have a line of their own, so that a changed limit takes effect with the next call. Bounded. Thread-safe.
 */
final class Lines {

    /** What calls of one line have in common, once for each charge. */
    record Place(Limit limit, String subject) {}

    /** What a call finds when it joins. */
    enum Joined {
        /** Nobody ahead waits, or it names an element: it makes its first attempt at once. */
        FREE,
        BEHIND,
        /** Too many calls wait; it has no place. */
        FULL
    }

    private static final int MOST_IN_LINE = 1_000;
    private static final int MOST = 10_000;

    private final int mostThreads;

    // guarded by this
    private final Map<Set<Place>, Deque<Waiter>> lines = new HashMap<>();
    private final Set<Waiter> threads = new HashSet<>();
    private boolean closed;

    private volatile int size;

    /** @param mostThreads how many calls may wait that hold a scarce thread */
    Lines(int mostThreads) {
        this.mostThreads = mostThreads;
    }

    /** Returns the line of an acquisition, in whatever order its charges are. */
    static Set<Place> of(Acquisition acquisition) {
        List<Charge> charges = acquisition.charges();
        return charges.size() == 1
                ? Set.of(place(charges.get(0)))
                : charges.stream().map(Lines::place).collect(Collectors.toUnmodifiableSet());
    }

    private static Place place(Charge charge) {
        return new Place(charge.limit(), charge.subject());
    }

    /** Returns how many calls are in a line. */
    int size() {
        return size;
    }

    /** Returns how many calls wait. */
    synchronized long waiting() {
        return lines.values().stream()
                .flatMap(Deque::stream)
                .filter(Waiter::waits)
                .count();
    }

    synchronized Joined join(Waiter waiter) {
        Deque<Waiter> line = lines.get(waiter.line);
        if (closed || size >= MOST || (line != null && line.size() >= MOST_IN_LINE)) {
            return Joined.FULL;
        }
        boolean isBehind = !waiter.namesElement && line != null && line.stream().anyMatch(Waiter::waits);
        waiter.joins(isBehind);
        size++;
        lines.computeIfAbsent(waiter.line, unknown -> new ArrayDeque<>()).add(waiter);
        return isBehind ? Joined.BEHIND : Joined.FREE;
    }

    /** Returns false if the call would hold a scarce thread while it waits, and too many do. */
    synchronized boolean letsWait(Waiter waiter) {
        if (!waiter.holdsScarceThread || threads.contains(waiter)) {
            return true;
        }
        return threads.size() < mostThreads && threads.add(waiter);
    }

    /** Removes the call if it is in line; returns the call that becomes first by that, if there is one. */
    synchronized @Nullable Waiter leave(Waiter waiter) {
        Deque<Waiter> line = size == 0 ? null : lines.get(waiter.line);
        boolean wasFirst = line != null && line.peek() == waiter;
        if (line == null || !line.remove(waiter)) {
            return null;
        }
        size--;
        threads.remove(waiter);
        if (line.isEmpty()) {
            lines.remove(waiter.line);
        }
        return wasFirst ? line.peek() : null;
    }

    /** Returns the call that has been longest in this line. */
    synchronized @Nullable Waiter first(Set<Place> line) {
        Deque<Waiter> calls = lines.get(line);
        return calls == null ? null : calls.peek();
    }

    /** Returns the first calls of all lines that wait for this state, alone or among others. */
    synchronized List<Waiter> firstsOf(StateId state) {
        return lines.values().stream()
                .map(Deque::element)
                .filter(first -> first.states.contains(state))
                .toList();
    }

    synchronized boolean isFirst(Waiter waiter) {
        return first(waiter.line) == waiter;
    }

    synchronized boolean isBehind(Waiter waiter) {
        Deque<Waiter> line = lines.get(waiter.line);
        return line != null && line.peek() != waiter && line.contains(waiter);
    }

    /** Returns the calls behind this one whose forecast left it out. */
    synchronized List<Waiter> unsureBehind(Waiter waiter) {
        return lines.getOrDefault(waiter.line, new ArrayDeque<>()).stream()
                .dropWhile(each -> each != waiter)
                .skip(1)
                .filter(Waiter::isUnsure)
                .toList();
    }

    /**
     * Returns when the call fits together with those ahead of it. Leaves out a call whose attempt is in flight: if the store
     * admits it, it charges it before it answers the next call.
     */
    synchronized Forecast forecast(Waiter waiter, long nowNanos) {
        List<Charge> charges = waiter.call.acquisition().charges();
        long[] costs = charges.stream().mapToLong(Charge::cost).toArray();
        boolean unsure = false;
        for (Waiter ahead : lines.getOrDefault(waiter.line, new ArrayDeque<>())) {
            if (ahead == waiter) {
                break;
            }
            if (ahead.isInFlight()) {
                unsure |= !ahead.isRefused();
            } else {
                for (int i = 0; i < ahead.states.size(); i++) {
                    int same = waiter.states.indexOf(ahead.states.get(i));
                    costs[same] += ahead.call.acquisition().charges().get(i).cost();
                }
            }
        }
        waiter.unsure(unsure);
        Waiter first = first(waiter.line);
        return Forecast.of(
                waiter.call.acquisition(),
                Arrays.stream(costs).boxed().toList(),
                first == null ? Duration.ZERO : first.admittedAfter(nowNanos));
    }

    /** Stops further calls from joining; returns all that wait. */
    synchronized List<Waiter> close() {
        closed = true;
        List<Waiter> all = new ArrayList<>();
        lines.values().forEach(all::addAll);
        return all;
    }
}
