package io.ratelimit.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How right the waits of refused calls were.
 *
 * @param early how many ended before the call would have been admitted
 * @param lateMicros by how much each of the others ended after it
 * @param latePercent the same, as a part of the wait
 */
record Waits(int early, List<Long> lateMicros, List<Double> latePercent) {

    static final Waits NONE = new Waits(0, List.of(), List.of());

    static Waits tooEarly() {
        return new Waits(1, List.of(), List.of());
    }

    static Waits late(long lateMicros, long waitMicros) {
        return new Waits(0, List.of(lateMicros), List.of(100.0 * lateMicros / Math.max(1, waitMicros)));
    }

    Waits and(Waits other) {
        return new Waits(early + other.early, both(lateMicros, other.lateMicros), both(latePercent, other.latePercent));
    }

    int checked() {
        return early + lateMicros.size();
    }

    String text() {
        if (checked() == 0) {
            return "";
        }
        String late = lateMicros.isEmpty()
                ? ""
                : String.format(
                        Locale.ROOT,
                        ", late %,d µs (%.1f %%)",
                        lateMicros.stream().sorted().toList().get(lateMicros.size() / 2),
                        latePercent.stream().sorted().toList().get(latePercent.size() / 2));
        return "%d of %d early%s".formatted(early, checked(), late);
    }

    private static <T> List<T> both(List<T> some, List<T> others) {
        List<T> all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }
}
