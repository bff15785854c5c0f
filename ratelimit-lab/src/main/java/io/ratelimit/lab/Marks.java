package io.ratelimit.lab;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What the oracle found in one run.
 *
 * @param offered the real costs of all calls
 * @param oracle what should have been admitted of them
 * @param mostInWindow the most that was certainly admitted in a window, wherever it begins
 * @param unanswered calls that failed or never ended
 */
record Marks(
        long offered, long admitted, long oracle, long mostInWindow, Waits waits, int unanswered, long slowestNanos) {

    static Marks of(List<Planned> plan, List<Call> calls, Oracle oracle) {
        Map<Integer, List<Call>> bySubject = calls.stream().collect(Collectors.groupingBy(Call::subject));
        long decided = calls.stream()
                .filter(call -> call.outcome() != Call.Outcome.FAILED)
                .count();
        return new Marks(
                plan.stream().mapToLong(Planned::actual).sum(),
                calls.stream().filter(Call::isAllowed).mapToLong(Call::cost).sum(),
                bySubject.values().stream().mapToLong(oracle::admits).sum(),
                bySubject.values().stream()
                        .mapToLong(one -> Oracle.mostWithin(oracle.quota().windowMicros(), one))
                        .max()
                        .orElse(0),
                bySubject.values().stream().map(oracle::waits).reduce(Waits.NONE, Waits::and),
                (int) (plan.size() - decided),
                calls.stream().mapToLong(Call::tookNanos).max().orElse(0));
    }

    /** Above 0: admitted more than it should. */
    long difference() {
        return admitted - oracle;
    }

    double differencePercent() {
        return 100.0 * difference() / Math.max(1, oracle);
    }
}
