package io.ratelimit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A million made-up subjects neither fill the heap, nor push out those who are active, nor slow any call down. */
class FloodTest {

    private static final Logger LOG = LoggerFactory.getLogger(FloodTest.class);
    private static final Limit LIMIT = Limit.of("five", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofHours(1));
    private static final long MOST_SUBJECTS = 100_000;
    private static final long MOST_BYTES = 64L << 20;
    private static final long MOST_READS = 2;

    @Test
    void heapAndWorkStayBoundedAndActiveSubjectsKeepTheirCounts() {
        flood(200_000);
    }

    @Test
    @Tag("slow")
    void norDoesALongerFloodTakeMore() {
        flood(2_000_000);
    }

    private static void flood(int calls) {
        LongAdder reads = new LongAdder();
        MicrosClock clock = MicrosClock.steady();
        InMemoryRateLimiter limiter = InMemoryRateLimiter.create(MOST_SUBJECTS, () -> {
            reads.increment();
            return clock.nowMicros();
        });
        List<Acquisition> active = IntStream.range(0, 100)
                .mapToObj(i -> Acquisition.of(LIMIT, "active " + i))
                .toList();
        active.forEach(one -> IntStream.range(0, 10).forEach(i -> limiter.acquire(one)));
        long bytesBefore = usedBytes();
        long readsBefore = reads.sum();
        long start = System.nanoTime();

        long extra = 0;
        double mostReads = 0;
        for (int i = 0; i < calls; i++) {
            limiter.acquire(Acquisition.of(LIMIT, "made up " + i));
            // each of the active ones comes once in a thousand calls
            if (i % 10 == 0 && limiter.acquire(active.get(i / 10 % 100)).allowed()) {
                extra++;
            }
            mostReads = Math.max(mostReads, (reads.sum() - readsBefore) / (i + 1.0));
        }

        long perSecond = calls * 1_000_000_000L / (System.nanoTime() - start);
        long bytes = usedBytes() - bytesBefore;
        LOG.info(
                "{} made-up subjects: {} MB of heap, {} calls a second, {} extra for active subjects",
                calls,
                bytes >> 20,
                perSecond,
                extra);
        assertThat(mostReads)
                .as("a call reads the clock once, and once more for each subject that it looks through")
                .isLessThanOrEqualTo(MOST_READS);
        assertThat(extra).isZero();
        assertThat(bytes).isLessThan(MOST_BYTES);
        assertThat(limiter.subjects()).isLessThanOrEqualTo(MOST_SUBJECTS);
        assertThat(limiter.peek(active.get(0)).remaining()).isZero();
    }

    private static long usedBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
