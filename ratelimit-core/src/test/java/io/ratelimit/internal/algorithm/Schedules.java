package io.ratelimit.internal.algorithm;

import io.ratelimit.Algorithm;
import io.ratelimit.Quota;
import io.ratelimit.Window;
import io.ratelimit.internal.algorithm.Schedule.Pause;
import io.ratelimit.internal.algorithm.Schedule.Step;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.TestTime;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.domains.DomainContextBase;

/** Every algorithm, limits from one request to a trillion and windows from 1 ms to 366 days, and calls of all kinds. */
final class Schedules extends DomainContextBase {

    private static final int MOST_STEPS = 40;
    private static final int MOST_BACK = 8;

    @Provide
    Arbitrary<Schedule> schedules() {
        return Arbitraries.of(Algorithms.ofCosts())
                .flatMap(algorithm -> Combinators.combine(
                                quotas(algorithm), steps().list().ofMaxSize(MOST_STEPS))
                        .as((quota, steps) -> new Schedule(algorithm, quota, steps)));
    }

    private static Arbitrary<Quota> quotas(Algorithm algorithm) {
        Arbitrary<Long> maxRequests = Arbitraries.oneOf(
                Arbitraries.longs().between(1, 60), Arbitraries.longs().between(1, Quota.MOST_REQUESTS));
        Arbitrary<Window> windows =
                algorithm == Algorithm.SLIDING_WINDOW_COUNTER ? Arbitraries.oneOf(windows(), inParts()) : windows();
        return Combinators.combine(maxRequests, windows)
                .flatAs((max, window) -> capacities(algorithm, max).map(capacity -> new Quota(max, window, capacity)));
    }

    private static Arbitrary<Window> windows() {
        return Arbitraries.oneOf(
                        Arbitraries.of(TestTime.SECOND, 7 * TestTime.SECOND),
                        Arbitraries.longs().between(1_000, 366 * TestTime.DAY))
                .map(micros -> new Window(micros, Optional.empty(), 1));
    }

    private static Arbitrary<Window> inParts() {
        Arbitrary<Integer> buckets = Arbitraries.oneOf(
                Arbitraries.integers().between(2, 8), Arbitraries.integers().between(2, Window.MOST_BUCKETS));
        return buckets.flatMap(parts -> Arbitraries.longs()
                .between(1 + 1_000 / parts, 366 * TestTime.DAY / parts)
                .map(micros -> new Window(parts * micros, Optional.empty(), parts)));
    }

    private static Arbitrary<Long> capacities(Algorithm algorithm, long maxRequests) {
        return algorithm.hasBurst()
                ? Arbitraries.longs().between(1, Math.min(Quota.MOST_REQUESTS, 3 * maxRequests))
                : Arbitraries.just(maxRequests);
    }

    private static Arbitrary<Step> steps() {
        Arbitrary<Integer> sizes = Arbitraries.integers().between(0, Schedule.MILLION);
        Arbitrary<Integer> settles = Arbitraries.frequencyOf(
                Tuple.of(6, Arbitraries.just(0)),
                Tuple.of(2, Arbitraries.integers().between(1, MOST_BACK)));
        Arbitrary<Integer> actualSizes = Arbitraries.frequencyOf(Tuple.of(1, Arbitraries.just(0)), Tuple.of(1, sizes));
        return Combinators.combine(Arbitraries.of(Pause.values()), sizes, sizes, settles, actualSizes)
                .as(Step::new);
    }
}
