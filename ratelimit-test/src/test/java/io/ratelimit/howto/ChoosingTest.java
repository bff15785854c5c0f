package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.test.TestClock;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class ChoosingTest {

    private final TestClock clock = new TestClock();
    private final RateLimiter limiter = InMemoryRateLimiter.create(1_000, clock);

    @ParameterizedTest
    @EnumSource(
            mode = Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    void thePageSaysWhatIsAdmittedAroundABoundary(Algorithm algorithm) {
        Limit limit = Limit.of("limit", algorithm, 50, Duration.ofSeconds(10));

        clock.advance(Duration.ofSeconds(9));
        long before = admittedOfFifty(limit);
        clock.advance(Duration.ofSeconds(2));
        long after = admittedOfFifty(limit);

        assertThat(Pages.text(Pages.named("choosing")))
                .containsPattern(
                        "\\| `%s`(?:, 1 request)? \\| [^|]+ \\| %d \\|".formatted(algorithm.label(), before + after));
    }

    private long admittedOfFifty(Limit limit) {
        return IntStream.range(0, 50)
                .filter(call -> limiter.acquire(Acquisition.of(limit, "alice")).allowed())
                .count();
    }
}
