package io.ratelimit.lab;

import io.ratelimit.Algorithm;
import io.ratelimit.Quota;
import io.ratelimit.testing.AdmittedHistory;
import io.ratelimit.testing.AdmittedHistory.Admission;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * What a limiter should have answered, by the plainest sums over all recorded calls of one subject. Immutable.
 *
 * <p>A call whose time is known as a range only never counts against the limiter: of a window, only calls count that
 * lie in it wherever they lie in their range, and a wait is early or late only if it is so for all of the range.
 */
record Oracle(Algorithm algorithm, Quota quota) {

    /** So many refusals of a run have their wait checked. */
    private static final int CHECKED = 300;

    static Oracle of(Algorithm algorithm, Rate rate) {
        return new Oracle(algorithm, new Quota(rate.limit(), rate.windowMicros(), rate.limit()));
    }

    /** What the calls would have been admitted, in the middle of their ranges, had every answer been right. */
    long admits(List<Call> calls) {
        AdmittedHistory history = AdmittedHistory.of(List.of());
        long sum = 0;
        for (Call call : sorted(calls, Call::middleMicros)) {
            long atMicros = call.middleMicros();
            if (history.used(algorithm, quota, atMicros) + call.cost() <= quota.capacity()) {
                history.add(new Admission(atMicros, call.cost()));
                sum += call.cost();
            }
        }
        return sum;
    }

    /** The most that was certainly admitted in a window, wherever it begins. */
    static long mostWithin(long windowMicros, List<Call> calls) {
        List<Call> admitted = sorted(calls.stream().filter(Call::isAllowed).toList(), Call::fromMicros);
        long most = 0;
        for (int first = 0; first < admitted.size(); first++) {
            long endMicros = admitted.get(first).fromMicros() + windowMicros;
            long sum = 0;
            for (int i = first; i < admitted.size() && admitted.get(i).fromMicros() < endMicros; i++) {
                sum += admitted.get(i).toMicros() < endMicros ? admitted.get(i).cost() : 0;
            }
            most = Math.max(most, sum);
        }
        return most;
    }

    /** Checks the waits of refused calls against the first time at which each would have fitted. */
    Waits waits(List<Call> calls) {
        List<Call> refused = calls.stream()
                .filter(call -> call.retryAfterMicros().isPresent())
                .toList();
        int step = refused.size() / CHECKED + 1;
        Waits waits = Waits.NONE;
        for (int i = 0; i < refused.size(); i += step) {
            waits = waits.and(wait(refused.get(i), calls));
        }
        return waits;
    }

    private Waits wait(Call refused, List<Call> calls) {
        long waitMicros = refused.retryAfterMicros().orElseThrow();
        long soonest =
                firstFit(refused, history(calls, other -> other.toMicros() < refused.fromMicros(), Call::fromMicros));
        if (refused.toMicros() + waitMicros < soonest) {
            return Waits.tooEarly();
        }
        long latest =
                firstFit(refused, history(calls, other -> other.fromMicros() <= refused.toMicros(), Call::toMicros));
        return Waits.late(Math.max(0, refused.fromMicros() + waitMicros - latest), waitMicros);
    }

    private static AdmittedHistory history(List<Call> calls, Predicate<Call> known, ToLongFunction<Call> atMicros) {
        List<Admission> admissions = new ArrayList<>();
        for (Call call : calls) {
            if (call.isAllowed() && known.test(call)) {
                admissions.add(new Admission(atMicros.applyAsLong(call), call.cost()));
            }
        }
        return AdmittedHistory.of(admissions);
    }

    /** Time only frees, so the first time that fits is found by halving. */
    private long firstFit(Call refused, AdmittedHistory history) {
        long fits = refused.toMicros() + 3 * quota.windowMicros();
        long tooEarly = refused.fromMicros() - 1;
        while (fits - tooEarly > 1) {
            long middle = tooEarly + (fits - tooEarly) / 2;
            if (history.used(algorithm, quota, middle) + refused.cost() <= quota.capacity()) {
                fits = middle;
            } else {
                tooEarly = middle;
            }
        }
        return fits;
    }

    private static List<Call> sorted(List<Call> calls, ToLongFunction<Call> byMicros) {
        return calls.stream().sorted(Comparator.comparingLong(byMicros)).toList();
    }
}
