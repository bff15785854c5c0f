package io.ratelimit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.JavaProcess;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Three processes of sixteen threads each are counted as exactly as one thread: a million decisions in all. */
@Tag("slow")
class ManyProcessesTest {

    private static final Logger LOG = LoggerFactory.getLogger(ManyProcessesTest.class);
    private static final int PROCESSES = 3;
    private static final int DECISIONS = 1_000_000 / Algorithms.ofCosts().size();
    private static final int CALLS_OF_A_THREAD = 1 + DECISIONS / (PROCESSES * Asker.THREADS);
    private static final long REQUESTS = 100_000;
    private static final long IN_FLIGHT = 1_000; // each decision reads and writes all calls in flight

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void admitExactlyWhatOneThreadAdmits(Algorithm algorithm) {
        try (RedisProcess server = RedisProcess.start()) {
            long start = System.nanoTime();
            List<JavaProcess> processes = IntStream.range(0, PROCESSES)
                    .mapToObj(i -> JavaProcess.start(
                            Asker.class, server.uri(), algorithm, limit(algorithm), CALLS_OF_A_THREAD))
                    .toList();
            long admitted = 0;
            for (JavaProcess process : processes) {
                String said = process.output();
                assertThat(said).contains("admitted ");
                admitted += Long.parseLong(said.substring(said.indexOf("admitted ") + "admitted ".length())
                        .strip());
            }
            long reference = admittedByOneThread(algorithm);
            int decisions = PROCESSES * Asker.THREADS * CALLS_OF_A_THREAD;
            LOG.info(
                    "{}: {} decisions by {} processes of {} threads admitted {}, one thread admits {} ({} s)",
                    algorithm.label(),
                    decisions,
                    PROCESSES,
                    Asker.THREADS,
                    admitted,
                    reference,
                    Duration.ofNanos(System.nanoTime() - start).toSeconds());
            assertThat(admitted).isEqualTo(reference);
        }
    }

    private static long admittedByOneThread(Algorithm algorithm) {
        RateLimiter limiter = InMemoryRateLimiter.create();
        Acquisition one = Asker.one(algorithm, limit(algorithm));
        return IntStream.range(0, PROCESSES * Asker.THREADS * CALLS_OF_A_THREAD)
                .filter(i -> limiter.acquire(one).allowed())
                .count();
    }

    private static long limit(Algorithm algorithm) {
        return algorithm == Algorithm.CONCURRENCY ? IN_FLIGHT : REQUESTS;
    }
}
