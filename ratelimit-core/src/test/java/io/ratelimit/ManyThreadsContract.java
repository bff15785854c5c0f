package io.ratelimit;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads at once are counted as exactly as one. */
public interface ManyThreadsContract extends StoreUnderTest {

    int THREADS = 32;
    int CALLS_EACH = 40;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void manyThreadsOnOneSubjectAdmitExactlyTheLimit(Algorithm algorithm) {
        setClock(at("12:00:00"));
        Limit limit = Limit.of("hot", algorithm, 1_000, Duration.ofHours(1));

        List<Integer> admitted = Threads.run(THREADS, thread -> () -> admitted(CALLS_EACH, limit, "alice"));

        assertThat(sum(admitted)).isEqualTo(1_000);
        assertThat(remaining(limit, "alice")).isZero();
    }

    @Test
    default void acquisitionsThatOverlapInOppositeOrdersNeitherBlockNorOverrun() {
        setClock(at("12:00:00"));
        List<Limit> limits = Algorithms.ofCosts().stream()
                .map(algorithm -> Limit.of(algorithm.label(), algorithm, 300, Duration.ofHours(1)))
                .toList();

        List<int[]> charged = Threads.run(THREADS, thread -> () -> chargeOverlapping(thread, limits));

        for (int i = 0; i < limits.size(); i++) {
            int index = i;
            long taken = charged.stream().mapToInt(counts -> counts[index]).sum();
            assertThat(300 - remaining(limits.get(i), "subject-" + i)).isEqualTo(taken);
            assertThat(taken).isLessThanOrEqualTo(300);
        }
        assertThat(charged.stream().flatMapToInt(IntStream::of).sum()).isGreaterThanOrEqualTo(300);
    }

    /** Three neighbours of a ring in an acquisition, forwards in one half of the threads and backwards in the other. */
    private int[] chargeOverlapping(int thread, List<Limit> limits) {
        int[] charged = new int[limits.size()];
        int step = thread % 2 == 0 ? 1 : limits.size() - 1;
        for (int call = 0; call < CALLS_EACH; call++) {
            int a = (thread + call) % limits.size();
            int b = (a + step) % limits.size();
            int c = (b + step) % limits.size();
            Acquisition three = Acquisition.of(limits.get(a), "subject-" + a)
                    .and(limits.get(b), "subject-" + b)
                    .and(limits.get(c), "subject-" + c);
            if (limiter().acquire(three).allowed()) {
                charged[a]++;
                charged[b]++;
                charged[c]++;
            }
        }
        return charged;
    }

    private static int sum(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).sum();
    }
}
