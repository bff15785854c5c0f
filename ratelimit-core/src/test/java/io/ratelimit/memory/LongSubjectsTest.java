package io.ratelimit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Subjects as long as a server lets a header be by default: 8 KB. */
class LongSubjectsTest {

    private static final Limit HOURLY = Limit.of("hourly", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));

    @Test
    void longSubjectsTakeNoMoreOfTheHeapThanOthers() {
        assertSmall(10_000);
    }

    @Test
    @Tag("slow")
    void norDoManyOfThem() {
        assertSmall(100_000);
    }

    private static void assertSmall(int subjects) {
        String longest = "x".repeat(8_000);
        InMemoryRateLimiter limiter = InMemoryRateLimiter.create();
        long before = used();

        for (int i = 0; i < subjects; i++) {
            limiter.acquire(Acquisition.of(HOURLY, longest + i));
        }

        assertThat(used() - before).isLessThan(1_000L * subjects);
        assertThat(limiter.acquire(Acquisition.of(HOURLY, longest + 0)).allowed())
                .isTrue();
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
