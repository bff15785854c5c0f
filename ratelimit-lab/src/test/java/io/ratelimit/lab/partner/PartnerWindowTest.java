package io.ratelimit.lab.partner;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.lab.Rate;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PartnerWindowTest {

    private static final Rate TWO_IN_TEN_SECONDS = new Rate(2, 10_000_000);

    private static long at(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void aWindowBeginsWithItsFirstRequest() {
        PartnerWindow window = new PartnerWindow(PartnerWindow.Kind.FROM_FIRST, TWO_IN_TEN_SECONDS);

        assertThat(window.take(at(3))).isTrue();
        assertThat(window.take(at(9))).isTrue();
        assertThat(window.remaining()).isZero();
        assertThat(window.take(at(12.5))).isFalse();
        assertThat(window.resetNanos(at(12.5))).isEqualTo(at(0.5));

        assertThat(window.take(at(13))).isTrue();
        assertThat(window.take(at(13))).isTrue();
        assertThat(window.take(at(22.9))).isFalse();
    }

    @Test
    void aSlidingWindowEndsWithEachRequest() {
        PartnerWindow window = new PartnerWindow(PartnerWindow.Kind.SLIDING, TWO_IN_TEN_SECONDS);

        assertThat(window.take(at(3))).isTrue();
        assertThat(window.take(at(9))).isTrue();
        assertThat(window.take(at(12.5))).isFalse();
        assertThat(window.resetNanos(at(12.5))).isEqualTo(at(0.5));

        assertThat(window.take(at(13))).isTrue();
        assertThat(window.take(at(13))).isFalse();
        assertThat(window.resetNanos(at(13))).isEqualTo(at(6));
    }
}
