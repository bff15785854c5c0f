package io.ratelimit.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The time that the store has for a call and for the calls that layers make for it, such as one for each master of a Cluster. */
class CallTest {

    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final Acquisition ONE =
            Acquisition.of(Limit.of("ten", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(1)), "alice");

    private final Decide call = new Decide(ONE, true, Runnable::run, null, answered -> {});
    private final Decide first = call.part(ONE, null, answered -> {});
    private final Decide second = first.part(ONE, null, answered -> {});

    @Test
    void itBeginsWithTheFirstOfThem() {
        long deadline = first.deadlineNanos(HOUR);

        assertThat(second.deadlineNanos(2 * HOUR)).isEqualTo(deadline);
        assertThat(call.deadlineNanos(3 * HOUR)).isEqualTo(deadline);
    }

    @Test
    void itBeginsAnewForAllOfThem() {
        long deadline = first.deadlineNanos(HOUR);

        second.renewDeadline();

        long renewed = call.deadlineNanos(2 * HOUR);
        assertThat(renewed - deadline).isGreaterThanOrEqualTo(HOUR);
        assertThat(first.deadlineNanos(HOUR)).isEqualTo(renewed);
    }
}
