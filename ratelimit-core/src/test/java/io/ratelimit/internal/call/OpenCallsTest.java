package io.ratelimit.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OpenCallsTest {

    private static final Limit SLOTS = Limit.of("slots", Algorithm.CONCURRENCY, 20, Duration.ofMinutes(1));
    private static final List<Charge> ONE = List.of(new Charge(SLOTS, "alice", 1));
    private static final long MOMENT = 1_000_000;

    private final long nowNanos = System.nanoTime();
    private final OpenCalls open = new OpenCalls();

    @Test
    void aRepeatedEndWaitsForThoseOfItsMomentThatTakeAway() {
        open.admitted(ONE, 1, MOMENT);
        open.admitted(ONE, 1, MOMENT);
        EndedCall first = end(100);
        end(200);

        assertThat(first.repeatFromNanos(nowNanos)).isEqualTo(in(200));
    }

    /** One admission of ten, of which calls end one by one. */
    @Test
    void alsoOfTheCallsOfALease() {
        open.admitted(List.of(new Charge(SLOTS, "alice", 10)), 1, MOMENT);
        EndedCall first = end(100);
        end(200);

        assertThat(first.repeatFromNanos(nowNanos)).isEqualTo(in(200));
    }

    @Test
    void theEndOfTheOnlyCallOfItsMomentDoesNotWait() {
        open.admitted(ONE, 1, MOMENT);

        assertThat(end(100).repeatFromNanos(nowNanos)).isEqualTo(nowNanos);
    }

    @Test
    void afterARepeatedEndAllSayWhatMayStay() {
        open.admitted(List.of(new Charge(SLOTS, "alice", 4)), 1, MOMENT);
        EndedCall first = end(100);
        EndedCall unsent = end(100);
        assertThat(first.most(new long[1])).containsExactly(0);

        first.repeatFromNanos(nowNanos);

        assertThat(unsent.most(new long[1])).containsExactly(3);
        assertThat(end(200).most(new long[1])).containsExactly(2);
        assertThat(first.most(new long[1])).as("of the one that is open").containsExactly(2);
        assertThat(end(300).most(new long[1])).containsExactly(1);
        assertThat(first.most(new long[1])).as("of none").containsExactly(1);
    }

    private EndedCall end(int seconds) {
        return open.ended(ONE, new long[1], MOMENT, in(seconds));
    }

    private long in(int seconds) {
        return nowNanos + TimeUnit.SECONDS.toNanos(seconds);
    }
}
