package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A log that is never idle goes on counting right when all that it ever admitted is more than a double can count. */
class TotalOfAllTimeTest {

    private static final long MOST = 1_000_000_000_000L;
    private static final long DOUBLE_COUNTS_TO = 1L << 53;
    private static final Limit LIMIT = Limit.of("bytes", Algorithm.SLIDING_WINDOW_LOG, MOST, Duration.ofMinutes(10));

    @Test
    void theTwinsAgreeBeyondWhatADoubleCounts() {
        SeededRandom.each("total of all time", 10, TotalOfAllTimeTest::play);
    }

    private static void play(SeededRandom random) {
        long now = TestTime.at("12:00:00");
        long total = 0;
        try (TwinStores twins = new TwinStores()) {
            twins.startAt(now, true); // keeps the log, and its total, over pauses longer than the window
            while (total < DOUBLE_COUNTS_TO + 100 * MOST) {
                now += random.between(1, TestTime.MINUTE * 12);
                twins.setClock(now);
                long cost = random.oneIn(3) ? random.ofAnySize(1, MOST) : random.between(MOST / 2, MOST);
                Acquisition acquisition = Acquisition.of(LIMIT, "alice", cost);
                Decision decision = twins.acquire(acquisition);
                total += decision.allowed() ? cost : 0;
                if (decision.allowed() && random.oneIn(3)) {
                    long actual = random.between(cost, 100 * MOST);
                    twins.settle(acquisition, decision, actual);
                    total += actual - cost;
                    continue;
                }
                boolean othersCount = decision.remaining() + cost < MOST; // else the log is given up and begins at 0
                if (decision.allowed() && othersCount && random.oneIn(10)) {
                    twins.settle(acquisition, decision, 0);
                }
            }
            assertThat(twins.peek(Acquisition.of(LIMIT, "alice")).remaining()).isLessThan(MOST);
        }
    }
}
