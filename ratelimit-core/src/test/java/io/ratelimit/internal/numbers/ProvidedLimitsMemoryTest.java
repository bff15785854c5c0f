package io.ratelimit.internal.numbers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.LimitProvider.Numbers;
import io.ratelimit.internal.Scheduler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the subjects of a provider take. */
@Tag("alone")
class ProvidedLimitsMemoryTest {

    private static final Limit FIVE = Limit.of("five", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));

    @Test
    void aHundredThousandSubjectsTakeAtMostFortyMegabytes() {
        Scheduler never = (nanos, action) -> new CompletableFuture<>();
        try (ProvidedLimits limits = new ProvidedLimits(
                (limit, subject) -> Optional.of(Numbers.of(1 + subject.hashCode() % 1_000 + 1_000)),
                List.of(),
                never,
                System::nanoTime)) {
            limits.of(FIVE, "first").first().join();
            long before = used();
            for (int i = 0; i < 100_000; i++) {
                ProvidedNumbers numbers = limits.of(FIVE, "principal:customer-" + i);
                numbers.first().join();
                assertThat(numbers.of(FIVE).plan()).contains("provider");
            }
            long taken = used() - before;
            System.out.println("100,000 subjects of a provider take " + taken / 1_000_000 + " MB");
            assertThat(taken).isLessThan(40_000_000);

            for (int i = 0; i < 300_000; i++) {
                limits.of(FIVE, "ip:192.0.2." + i).first().join();
            }
            await().untilAsserted(
                            () -> assertThat(used() - before).isLessThan(40_000_000)); // once what is over is evicted
        }
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
