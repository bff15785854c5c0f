package io.ratelimit.internal.layer;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.Layered;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ReportOnlyTest {

    private static final Limit FIVE = Limit.of("five", Algorithm.FIXED_WINDOW, 5, Duration.ofDays(300));
    private static final Acquisition TWO = Acquisition.of(FIVE, "alice", 2);

    private final AtomicLong nanos = new AtomicLong();
    private final CountingRateLimiter store = new CountingRateLimiter(InMemoryRateLimiter.create());
    private final RateLimiter limiter = Layered.over(store, next -> new ReportOnly(next, nanos::get));
    private final Logger logger = (Logger) LoggerFactory.getLogger(ReportOnly.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(logged);
    }

    @Test
    void logsOnceASecondHowManyCallsWouldHaveBeenRefused() {
        call(12);
        assertThat(logged.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly(line(1));

        nanos.addAndGet(Duration.ofSeconds(1).toNanos() - 1);
        call(1);
        assertThat(logged.list).hasSize(1);

        nanos.addAndGet(1);
        call(1);
        assertThat(logged.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly(line(1), line(11));
    }

    @Test
    void logsNothingOfWhatFits() {
        call(2);

        assertThat(logged.list).isEmpty();
    }

    @Test
    void admitsThoughAStoreThatRefusesWhenItFailsDoes() {
        store.broken = true;

        assertThat(limiter.acquire(TWO)).isEqualTo(Decision.unanswered());
        assertThat(limiter.acquireAsync(TWO)).isCompletedWithValue(Decision.unanswered());
    }

    private static String line(int refusals) {
        return "report-only: " + refusals + " calls would have been refused, the last by [five]";
    }

    private void call(int times) {
        for (int i = 0; i < times; i++) {
            assertThat(limiter.acquire(TWO).allowed()).isTrue();
        }
    }
}
