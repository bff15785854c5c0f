package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Deadline;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.SlowRateLimiter;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadlineRateLimiterTest {

    private static final Limit LIMIT =
            Limit.of("hot", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(1)).withShards(2);

    private final RateLimiter memory = InMemoryRateLimiter.create();
    private final SlowRateLimiter slow = new SlowRateLimiter(memory);
    private final ScheduledExecutorService scheduler = Scheduler.newThread();
    private final DeadlineRateLimiter limiter = within(Duration.ofMillis(10));

    @AfterEach
    void close() {
        scheduler.shutdownNow();
    }

    @Test
    void failsInTimeAndGivesBackWhatIsChargedTooLate() {
        assertThatThrownBy(() -> limiter.acquire(Acquisition.of(LIMIT, "eve")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("the store did not answer within 10 ms");

        slow.answer();

        assertThat(memory.peek(Acquisition.of(LIMIT, "eve")).remaining()).isEqualTo(10);
    }

    @Test
    void handsOnTheStoresOwnFailure() {
        var asked = within(Duration.ofHours(1))
                .acquireAsync(Acquisition.of(LIMIT, "eve"))
                .toCompletableFuture();
        slow.fail(new StoreUnavailableException("gone"));

        assertThatThrownBy(asked::join)
                .cause()
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("gone");
    }

    private DeadlineRateLimiter within(Duration timeout) {
        return new DeadlineRateLimiter(slow, memory, new Deadline(timeout, scheduler, Runnable::run));
    }
}
