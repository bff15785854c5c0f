package io.ratelimit.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.lab.peer.ClockReader;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** An instance whose clock is wrong reads another time than the others do. */
class InstanceLoaderTest {

    private static final long HOUR = Duration.ofHours(1).toMillis();

    private static Limiter instance(ClockError error) {
        Contender contender =
                new Contender("reader", ClockReader.class, "", Algorithm.SLIDING_WINDOW_LOG, "", Map.of());
        return contender.open(
                new Setup(null, Rate.perSecond(1), "", StoreClock.showing(() -> 0), new ConcurrentHashMap<>()), error);
    }

    private static long read(Limiter instance) {
        return instance.tryAcquire("alice", 1).decidedAtMicros().orElseThrow();
    }

    @Test
    void aClockMayBeAheadOrBehind() {
        long before = System.currentTimeMillis();
        long ahead = read(instance(ClockError.ahead(Duration.ofHours(1))));
        long behind = read(instance(ClockError.ahead(Duration.ofHours(-1))));
        long right = read(instance(ClockError.NONE));
        long after = System.currentTimeMillis();
        assertThat(ahead).isBetween(before + HOUR, after + HOUR);
        assertThat(behind).isBetween(before - HOUR, after - HOUR);
        assertThat(right).isBetween(before, after);
    }

    @Test
    void aClockMayDrift() {
        Limiter hourAMilli = instance(ClockError.gaining((double) HOUR));
        long started = System.currentTimeMillis();
        while (System.currentTimeMillis() < started + 2) {
            Thread.onSpinWait();
        }
        assertThat(read(hourAMilli)).isGreaterThan(started + HOUR);
    }
}
