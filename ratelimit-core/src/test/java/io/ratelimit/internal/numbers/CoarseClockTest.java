package io.ratelimit.internal.numbers;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.ManualTime;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CoarseClockTest {

    private final ManualTime time = new ManualTime(1_000_000);
    private final AtomicInteger readings = new AtomicInteger();
    private final CoarseClock clock = new CoarseClock(this::read, time.scheduler());

    private long read() {
        readings.incrementAndGet();
        return time.nanos();
    }

    @Test
    void oneReadingLastsATenthOfASecond() {
        long first = clock.getAsLong();
        assertThat(first).isEqualTo(time.nanos());
        time.passMicros(99_999);
        assertThat(clock.getAsLong()).isEqualTo(first);
        time.passMicros(1);
        assertThat(clock.getAsLong()).isEqualTo(time.nanos()).isNotEqualTo(first);
        assertThat(readings).hasValue(2);
    }

    @Test
    void theClockIsNotReadWhileNobodyAsks() {
        clock.getAsLong();
        time.passSeconds(60);
        assertThat(readings).hasValue(1);
        assertThat(clock.getAsLong()).isEqualTo(time.nanos());
    }
}
