package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RoundTripsTest {

    private final RoundTrips roundTrips = new RoundTrips();
    private long nowNanos = TimeUnit.SECONDS.toNanos(1);

    @Test
    void sixteenBatchesMayBeInFlightBeforeTheFirstReply() {
        assertThat(roundTrips.mostInFlight()).isEqualTo(16);
    }

    @Test
    void oneBatchMayBeInFlightForEach150MicrosOfTheShortestRoundTrip() {
        reply(70);
        assertThat(roundTrips.mostInFlight()).isEqualTo(1);

        forgetBefore();
        reply(1_050);
        reply(9_000);
        assertThat(roundTrips.mostInFlight()).isEqualTo(7);

        forgetBefore();
        reply(50_000);
        assertThat(roundTrips.mostInFlight()).isEqualTo(333);
    }

    @Test
    void aNetworkThatBecameFasterIsNoticedAtOnce() {
        reply(5_000);
        reply(100);

        assertThat(roundTrips.mostInFlight()).isEqualTo(1);
    }

    @Test
    void aNetworkThatBecameSlowerIsNoticedWithinHalfASecond() {
        reply(100);
        for (int i = 0; i < 102; i++) {
            reply(5_000);
        }

        assertThat(roundTrips.mostInFlight()).isEqualTo(33);
    }

    @Test
    void oneReplyThatCameQuicklyHoldsForAQuarterOfASecondAtLeast() {
        forgetBefore();
        reply(100);
        for (int i = 0; i < 49; i++) {
            reply(5_000);
        }

        assertThat(roundTrips.mostInFlight()).isEqualTo(1);
    }

    private void reply(long micros) {
        long sentNanos = nowNanos;
        nowNanos += TimeUnit.MICROSECONDS.toNanos(micros);
        roundTrips.add(sentNanos, nowNanos);
    }

    private void forgetBefore() {
        nowNanos += TimeUnit.SECONDS.toNanos(1);
    }
}
