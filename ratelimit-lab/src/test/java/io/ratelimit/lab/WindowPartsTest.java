package io.ratelimit.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.memory.InMemoryRateLimiter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Counters of 1 to 3,600 parts beside the log, over a million random calls: what each admits above the limit in the worst hour,
 * wherever that begins, is at most what one part admitted, and falls as the parts become shorter. Prints the figures of
 * {@code docs/algorithms.md}.
 */
class WindowPartsTest {

    private static final int CALLS = 1_000_000;
    private static final long SECOND = 1_000_000;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit LOG = Limit.of("log", Algorithm.SLIDING_WINDOW_LOG, 3_600, HOUR);
    private static final Limit COUNTER = Limit.of("counter", Algorithm.SLIDING_WINDOW_COUNTER, 3_600, HOUR);

    /** Sums over the newest calls, of a window at most. Not thread-safe. */
    private static final class Latest {

        private final Deque<Long> times = new ArrayDeque<>();
        private final long windowMicros;
        private long most;

        Latest(long windowMicros) {
            this.windowMicros = windowMicros;
        }

        void add(long micros) {
            times.add(micros);
            while (times.getFirst() <= micros - windowMicros) {
                times.removeFirst();
            }
            most = Math.max(most, times.size());
        }
    }

    /** The most that one limit admitted: in any hour, in any hour less a part, and in a part of the clock. */
    private record Worst(long admitted, long inAnHour, long inAnHourLessAPart, long inAPart) {

        long excess() {
            return inAnHour - COUNTER.maxRequests();
        }
    }

    @Test
    void theWorstExcessFallsWithTheNumberOfParts() {
        Worst log = play(LOG);
        Map<Integer, Worst> worst = new TreeMap<>();
        for (int parts : new int[] {1, 2, 6, 60, 3_600}) {
            worst.put(parts, play(COUNTER.withBuckets(parts)));
            System.out.printf(
                    Locale.ROOT,
                    "parts %,d: %,d admitted (log %,d), worst hour %,d of %,d, worst part %,d%n",
                    parts,
                    worst.get(parts).admitted(),
                    log.admitted(),
                    worst.get(parts).inAnHour(),
                    COUNTER.maxRequests(),
                    worst.get(parts).inAPart());
        }

        assertThat(log.excess()).isZero();
        assertThat(worst.values()).allSatisfy(counter -> {
            assertThat(counter.excess()).isBetween(0L, counter.inAPart());
            assertThat(counter.inAnHourLessAPart()).isLessThanOrEqualTo(COUNTER.maxRequests());
        });
        long ofOnePart = worst.get(1).excess();
        worst.forEach((parts, counter) ->
                assertThat(counter.excess()).as("%d parts", parts).isLessThanOrEqualTo(ofOnePart * 6 / 5 / parts + 4));
    }

    /** A tenth of a call to two calls a second, at a rate that changes after each 3,000 calls. */
    private static Worst play(Limit limit) {
        AtomicLong clock = new AtomicLong(1_790_000_000 * SECOND);
        InMemoryRateLimiter limiter = InMemoryRateLimiter.create(10, clock::get);
        Random random = new Random(7);
        long partMicros = limit.quota().window().partMicros();
        Latest hour = new Latest(limit.quota().windowMicros());
        Latest lessAPart = new Latest(Math.max(1, limit.quota().windowMicros() - partMicros));
        Map<Long, Long> parts = new HashMap<>();
        Acquisition one = Acquisition.of(limit, "alice");
        long admitted = 0;
        double perSecond = 0;
        for (int i = 0; i < CALLS; i++) {
            if (i % 3_000 == 0) {
                perSecond = 0.1 + 1.9 * random.nextDouble();
            }
            clock.addAndGet(1 + (long) (-Math.log(1 - random.nextDouble()) / perSecond * SECOND));
            if (limiter.acquire(one).allowed()) {
                admitted++;
                hour.add(clock.get());
                lessAPart.add(clock.get());
                parts.merge(clock.get() / partMicros, 1L, Long::sum);
            }
        }
        long inAPart = parts.values().stream().mapToLong(Long::longValue).max().orElseThrow();
        return new Worst(admitted, hour.most, lessAPart.most, inAPart);
    }
}
