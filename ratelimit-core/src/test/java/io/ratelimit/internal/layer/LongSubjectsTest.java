package io.ratelimit.internal.layer;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.Layered;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Subjects as long as a server lets a header be by default: 8 KB. */
class LongSubjectsTest {

    private static final Limit ONE = Limit.of("one", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(1));
    private static final String LONGEST = "x".repeat(8_000);

    private final AtomicLong nanos = new AtomicLong();
    private final Layered<RememberedRefusals> limiter =
            Layered.over(InMemoryRateLimiter.create(100, () -> 0), next -> new RememberedRefusals(next, nanos::get));

    @Test
    void theSettlementsOfASecondTakeLittleOfTheHeap() {
        long before = used();

        for (int i = 0; i < 5_000; i++) {
            limiter.reset(ONE, LONGEST + i);
        }

        assertThat(used() - before).isLessThan(20_000_000);
        assertThat(limiter.acquire(Acquisition.of(ONE, LONGEST + 0)).allowed()).isTrue();
    }

    @Test
    void aResetMakesItForgetTheRefusalOfALongSubjectAlone() {
        for (String subject : new String[] {LONGEST + 1, LONGEST + 2}) {
            limiter.acquire(Acquisition.of(ONE, subject));
            assertThat(limiter.acquire(Acquisition.of(ONE, subject)).allowed()).isFalse();
        }
        nanos.addAndGet(1_000_000);

        limiter.reset(ONE, LONGEST + 1);

        assertThat(limiter.acquire(Acquisition.of(ONE, LONGEST + 2)).allowed()).isFalse();
        assertThat(limiter.acquire(Acquisition.of(ONE, LONGEST + 1)).allowed()).isTrue();
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
