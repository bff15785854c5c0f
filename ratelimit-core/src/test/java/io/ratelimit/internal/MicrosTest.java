package io.ratelimit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class MicrosTest {

    @Test
    void convertsAnyNumberToADurationAndBack() {
        assertThat(Micros.toDuration(0)).isSameAs(Duration.ZERO);
        assertThat(Micros.toDuration(48_000_001)).isEqualTo(Duration.ofSeconds(48, 1_000));
        assertThat(Micros.toDuration(-1)).isEqualTo(Duration.ofNanos(-1_000));
        assertThat(Micros.of(Micros.toDuration(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
    }
}
