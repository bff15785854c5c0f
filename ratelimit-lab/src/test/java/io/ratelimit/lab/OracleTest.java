package io.ratelimit.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OracleTest {

    private static final Rate TEN = Rate.perSecond(10);
    private static final long SECOND = 1_000_000;

    private static Call call(long atMicros, boolean allowed, long retryAfterMicros) {
        return call(atMicros, atMicros, allowed, retryAfterMicros);
    }

    private static Call call(long fromMicros, long toMicros, boolean allowed, long retryAfterMicros) {
        return new Call(
                fromMicros,
                toMicros,
                0,
                1,
                allowed ? Call.Outcome.ALLOWED : Call.Outcome.REFUSED,
                allowed ? OptionalLong.empty() : OptionalLong.of(retryAfterMicros),
                0);
    }

    private static List<Call> calls(int count, long firstMicros, long stepMicros) {
        return IntStream.range(0, count)
                .mapToObj(i -> call(firstMicros + i * stepMicros, true, 0))
                .toList();
    }

    @Test
    void admitsWhatTheLogHasRoomFor() {
        Oracle oracle = Oracle.of(Algorithm.SLIDING_WINDOW_LOG, TEN);
        assertThat(oracle.admits(calls(10, SECOND, 1))).isEqualTo(10);
        assertThat(oracle.admits(calls(11, SECOND, 1))).isEqualTo(10);
        assertThat(oracle.admits(calls(11, SECOND, SECOND / 10))).isEqualTo(11);
    }

    /** The counter rounds 9.99999 calls of the last window down, so it admits one more. */
    @Test
    void admitsByTheAlgorithmThatIsPromised() {
        List<Call> aroundABoundary = calls(20, SECOND - 10, 1);
        assertThat(Oracle.of(Algorithm.FIXED_WINDOW, TEN).admits(aroundABoundary))
                .isEqualTo(20);
        assertThat(Oracle.of(Algorithm.SLIDING_WINDOW_COUNTER, TEN).admits(aroundABoundary))
                .isEqualTo(11);
        assertThat(Oracle.of(Algorithm.TOKEN_BUCKET, TEN).admits(aroundABoundary))
                .isEqualTo(10);
    }

    @Test
    void countsTheFullestWindowWhereverItBegins() {
        assertThat(Oracle.mostWithin(SECOND, calls(20, SECOND - 10, 1))).isEqualTo(20);
        assertThat(Oracle.mostWithin(SECOND, calls(21, SECOND, SECOND / 10))).isEqualTo(10);
    }

    @Test
    void countsOnlyCallsThatAreCertainlyInTheWindow() {
        Call certain = call(100, 200, true, 0);
        Call perhaps = call(SECOND, SECOND + 100, true, 0);
        Call either = call(SECOND, SECOND + 99, true, 0);
        assertThat(Oracle.mostWithin(SECOND, List.of(certain, perhaps))).isEqualTo(1);
        assertThat(Oracle.mostWithin(SECOND, List.of(certain, either))).isEqualTo(2);
    }

    @Test
    void seesAWaitThatEndsOneMicrosecondEarlyOrLate() {
        Oracle log = Oracle.of(Algorithm.SLIDING_WINDOW_LOG, TEN);
        assertThat(log.waits(full(SECOND / 2 - 1)).early()).isEqualTo(1);
        assertThat(log.waits(full(SECOND / 2))).isEqualTo(Waits.late(0, SECOND / 2));
        assertThat(log.waits(full(SECOND / 2 + 1))).isEqualTo(Waits.late(1, SECOND / 2 + 1));
    }

    @Test
    void holdsNoWaitAgainstALimiterWhoseTimeIsNotKnown() {
        Oracle log = Oracle.of(Algorithm.SLIDING_WINDOW_LOG, TEN);
        List<Call> calls = new ArrayList<>(calls(10, SECOND, 0));
        calls.add(call(SECOND + SECOND / 2 - 50, SECOND + SECOND / 2 + 50, false, SECOND / 2));
        assertThat(log.waits(calls)).isEqualTo(Waits.late(0, SECOND / 2));
    }

    /** Ten at one time, and half a second later a refusal with that wait. */
    private static List<Call> full(long waitMicros) {
        List<Call> calls = new ArrayList<>(calls(10, SECOND, 0));
        calls.add(call(SECOND + SECOND / 2, false, waitMicros));
        return calls;
    }
}
