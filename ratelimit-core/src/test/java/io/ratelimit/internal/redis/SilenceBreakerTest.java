package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SilenceBreakerTest {

    private static final long TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicLong nanos = new AtomicLong(System.nanoTime());
    private final SilenceBreaker breaker = new SilenceBreaker();

    @Test
    void opensAfterFiveTimeoutsOneAfterTheOther() {
        for (int i = 0; i < 5; i++) {
            assertThat(breaker.permits(nanos.get())).isTrue();
            timeOut(nanos.get());
        }

        assertThat(breaker.permits(nanos.get())).isFalse();
    }

    @Test
    void opensAfterFourTimeoutsInFiveCalls() {
        answer();
        for (int i = 0; i < 4; i++) {
            assertThat(breaker.permits(nanos.get())).isTrue();
            timeOut(nanos.get());
        }

        assertThat(breaker.permits(nanos.get())).isFalse();
    }

    @Test
    void oneSilenceCountsOnceHoweverManyCallsAreInFlight() {
        for (int i = 0; i < 5; i++) {
            answer();
        }
        long sentNanos = nanos.get();
        for (int i = 0; i < 1_000; i++) {
            assertThat(breaker.permits(nanos.get())).isTrue();
        }
        for (int i = 0; i < 1_000; i++) {
            timeOut(sentNanos);
        }

        assertThat(breaker.permits(nanos.get())).isTrue();
    }

    @Test
    void permitsOneProbeEachQuarterOfASecondWhileTheNodeStaysSilent() {
        open();

        pass(249);
        assertThat(breaker.permits(nanos.get())).isFalse();
        pass(2);
        assertThat(breaker.permits(nanos.get())).isTrue();
        assertThat(breaker.permits(nanos.get()))
                .as("while the probe is in flight")
                .isFalse();
        timeOut(nanos.get());

        assertThat(breaker.permits(nanos.get())).isFalse();
        pass(251);
        assertThat(breaker.permits(nanos.get())).isTrue();
    }

    @Test
    void closesOnceTheProbeIsAnswered() {
        open();
        pass(251);
        assertThat(breaker.permits(nanos.get())).isTrue();

        answer();

        for (int i = 0; i < 100; i++) {
            assertThat(breaker.permits(nanos.get())).isTrue();
        }
    }

    @Test
    void permitsAProbeAtOnceWhenTheNodeIsConnectedAgain() {
        open();

        breaker.reconnected(nanos.get());

        assertThat(breaker.isPaused(nanos::get)).isFalse();
        assertThat(breaker.permits(nanos.get())).isTrue();
        assertThat(breaker.permits(nanos.get()))
                .as("while the probe is in flight")
                .isFalse();
    }

    @Test
    void aReconnectionLeavesAClosedBreakerClosed() {
        breaker.reconnected(nanos.get());

        assertThat(breaker.permits(nanos.get())).isTrue();
        assertThat(breaker.permits(nanos.get())).isTrue();
    }

    @Test
    void callsNeedNotBeTriedAfterItOpenedNorWhileTheProbeIsInFlight() {
        assertThat(breaker.isPaused(nanos::get)).isFalse();
        open();
        assertThat(breaker.isPaused(nanos::get)).isTrue();

        pass(251);
        assertThat(breaker.isPaused(nanos::get)).as("a probe is due").isFalse();
        assertThat(breaker.permits(nanos.get())).isTrue();
        assertThat(breaker.isPaused(nanos::get)).as("the probe is in flight").isTrue();

        answer();
        assertThat(breaker.isPaused(nanos::get)).isFalse();
    }

    private void open() {
        for (int i = 0; i < 5; i++) {
            assertThat(breaker.permits(nanos.get())).isTrue();
            timeOut(nanos.get());
        }
        assertThat(breaker.permits(nanos.get())).isFalse();
    }

    private void answer() {
        nanos.addAndGet(100_000);
        breaker.answered();
    }

    private void timeOut(long sentNanos) {
        nanos.set(Math.max(nanos.get(), sentNanos + TIMEOUT_NANOS));
        breaker.unanswered(sentNanos, nanos.get());
        nanos.incrementAndGet();
    }

    private void pass(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
