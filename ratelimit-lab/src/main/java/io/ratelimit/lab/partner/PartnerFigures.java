package io.ratelimit.lab.partner;

import io.ratelimit.lab.Rate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Figures of one contender, as the partner saw it.
 *
 * @param sent requests, whether answered 200 or 429
 * @param allowed how many of them were answered 200
 * @param early how many came after an answer with 429, and before its {@code Retry-After} was over
 * @param mostRefused the most 429 in one window of the partner
 * @param refusedWindows in how many of its windows there was one
 * @param closeRetries retries that came within 1 % of the window after another one
 * @param mostAtOnce the most requests within 1 % of the window
 */
record PartnerFigures(
        int sent, int allowed, int early, int mostRefused, int refusedWindows, int closeRetries, int mostAtOnce) {

    /** @param arrivals in the order of time */
    static PartnerFigures of(List<Arrival> arrivals, PartnerWindow.Kind kind, Rate rate) {
        long windowNanos = rate.window().toNanos();
        List<Integer> refused = refusedByWindow(arrivals, kind, windowNanos);
        List<Arrival> retries = arrivals.stream().filter(Arrival::isRetry).toList();
        return new PartnerFigures(
                arrivals.size(),
                count(arrivals, Arrival::isAllowed),
                early(arrivals),
                refused.stream().mapToInt(Integer::intValue).max().orElse(0),
                (int) refused.stream().filter(number -> number > 0).count(),
                close(retries, windowNanos / 100),
                most(arrivals, windowNanos / 100));
    }

    /** Returns what was used of the quota of so many windows, in per cent. */
    double usedPercent(long quota) {
        return 100.0 * allowed / quota;
    }

    int refused() {
        return sent - allowed;
    }

    private static int early(List<Arrival> arrivals) {
        int early = 0;
        long untilNanos = arrivals.isEmpty() ? 0 : arrivals.get(0).atNanos();
        for (Arrival arrival : arrivals) {
            early += arrival.atNanos() - untilNanos < 0 ? 1 : 0;
            untilNanos = Math.max(untilNanos, arrival.untilNanos());
        }
        return early;
    }

    /** Counts by the partner's windows. Of sliding ones, each begins with the first 429 after the last of them. */
    private static List<Integer> refusedByWindow(List<Arrival> arrivals, PartnerWindow.Kind kind, long windowNanos) {
        List<Integer> refused = new ArrayList<>();
        long endNanos = 0;
        for (Arrival arrival : arrivals) {
            boolean begins = kind == PartnerWindow.Kind.FROM_FIRST || !arrival.isAllowed();
            if (begins && (refused.isEmpty() || arrival.atNanos() - endNanos >= 0)) {
                refused.add(0);
                endNanos = arrival.atNanos() + windowNanos;
            }
            if (!arrival.isAllowed()) {
                refused.set(refused.size() - 1, refused.get(refused.size() - 1) + 1);
            }
        }
        return refused;
    }

    private static int close(List<Arrival> retries, long nanos) {
        int close = 0;
        for (int i = 1; i < retries.size(); i++) {
            close += retries.get(i).atNanos() - retries.get(i - 1).atNanos() < nanos ? 1 : 0;
        }
        return close;
    }

    private static int most(List<Arrival> arrivals, long nanos) {
        int most = 0;
        int first = 0;
        for (int last = 0; last < arrivals.size(); last++) {
            while (arrivals.get(last).atNanos() - arrivals.get(first).atNanos() >= nanos) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }

    private static int count(List<Arrival> arrivals, Predicate<Arrival> which) {
        return (int) arrivals.stream().filter(which).count();
    }
}
