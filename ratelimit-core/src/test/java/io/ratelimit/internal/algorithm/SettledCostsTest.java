package io.ratelimit.internal.algorithm;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Quota;
import io.ratelimit.testing.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls in flight at once that cost something else than they were charged, of which some die and are never settled. What
 * the admitted calls of any window actually cost is at most the limit, and what those in flight underestimated. Counted by
 * brute force at each admission.
 */
class SettledCostsTest {

    private static final int SCHEDULES = 250_000;
    private static final int STEPS = 24;

    private static final class Call {

        final long atMicros;
        final long estimate;
        final long actual;
        boolean inFlight = true;

        Call(long atMicros, long estimate, long actual) {
            this.atMicros = atMicros;
            this.estimate = estimate;
            this.actual = actual;
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    void exceedTheLimitByWhatTheCallsInFlightUnderestimatedAtMost(Algorithm algorithm) {
        SeededRandom.each("settled costs " + algorithm, SCHEDULES, random -> {
            long max = random.between(1, 20);
            long capacity = algorithm.hasBurst() ? random.between(1, 2 * max) : max;
            play(random, algorithm, new Quota(max, random.oneOf(1_000L, 7_919L, 1_000_000L), capacity));
        });
    }

    private static void play(SeededRandom random, Algorithm algorithm, Quota quota) {
        Subject subject = new Subject(Tally.of(algorithm, quota.window()), quota);
        List<Call> calls = new ArrayList<>();
        long now = at("12:00:00");
        for (int step = 0; step < STEPS; step++) {
            now += random.oneIn(2) ? 0 : random.ofAnySize(1, 2 * quota.windowMicros());
            Call settled = calls.isEmpty() ? null : calls.get((int) random.between(0, calls.size() - 1));
            if (settled != null && settled.inFlight && random.oneIn(2)) {
                settled.inFlight = false;
                subject.settle(settled.actual - settled.estimate, settled.atMicros, now);
            }
            long estimate = random.between(1, quota.capacity());
            if (subject.admits(estimate, now)) {
                calls.add(new Call(now, estimate, random.ofAnySize(1, 4 * quota.capacity()) - 1));
                check(algorithm, quota, calls, now);
            }
        }
    }

    private static void check(Algorithm algorithm, Quota quota, List<Call> calls, long now) {
        long spent = 0;
        long underestimated = 0;
        for (Call call : calls) {
            if (isInWindow(algorithm, quota, call.atMicros, now)) {
                spent += call.actual;
                underestimated += call.inFlight ? Math.max(0, call.actual - call.estimate) : 0;
            }
        }
        long limit = algorithm == Algorithm.TOKEN_BUCKET ? quota.capacity() + quota.maxRequests() : quota.maxRequests();
        if (spent > limit + underestimated) {
            assertThat(spent).as("%s", quota).isLessThanOrEqualTo(limit + underestimated);
        }
    }

    /** A window of the clock, or any that ends now. */
    private static boolean isInWindow(Algorithm algorithm, Quota quota, long atMicros, long now) {
        long window = quota.windowMicros();
        return switch (algorithm) {
            case FIXED_WINDOW, SLIDING_WINDOW_COUNTER -> atMicros / window == now / window;
            case SLIDING_WINDOW_LOG, TOKEN_BUCKET, CONCURRENCY, UNIQUE_COUNT, APPROXIMATE_UNIQUE_COUNT ->
                atMicros > now - window;
        };
    }
}
