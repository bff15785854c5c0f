package io.ratelimit.howto;

import static io.ratelimit.test.RateLimitAssertions.assertThatRequest;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.cloud.context.refresh.ContextRefresher;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.MockMvc;

@HowTo("change-a-limit")
class ChangeALimitTest {

    @Test
    void withoutTheVariablesTheDefaultsHold(@Autowired ApplicationContext context) {
        assertThatRequest(context, "GET", "/api/orders").isLimitedTo(1000, Duration.ofHours(1));
    }

    @Test
    void countsStayWithOtherNumbersAndNotWithAnotherWindow(@Autowired RateLimiter limiter) {
        Limit before = Limit.of("changed", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofHours(1));
        limiter.acquire(Acquisition.of(before, "alice", 40));

        assertThat(remaining(limiter, 50, Duration.ofHours(1))).isEqualTo(10);
        assertThat(remaining(limiter, 50, Duration.ofMinutes(1))).isEqualTo(50);
    }

    private static long remaining(RateLimiter limiter, long maxRequests, Duration window) {
        Limit changed = Limit.of("changed", Algorithm.SLIDING_WINDOW_LOG, maxRequests, window);
        return limiter.peek(Acquisition.of(changed, "alice")).remaining();
    }

    @Nested
    @TestPropertySource(properties = {"API_LIMITED=false", "HOURLY_LIMIT=1"})
    class SwitchedOff {

        @Test
        void nobodyIsRefused(@Autowired MockMvc mvc) throws Exception {
            mvc.perform(get("/api/orders")).andExpect(isNotRateLimited());
            mvc.perform(get("/api/orders")).andExpect(isNotRateLimited());
        }
    }

    @Nested
    class Refreshed {

        @Test
        void aChangedNumberHoldsWithoutARestart(@Autowired ContextRefresher refresher, @Autowired MockMvc mvc)
                throws Exception {
            System.setProperty("HOURLY_LIMIT", "1");
            try {
                refresher.refresh();
                mvc.perform(get("/api/orders")).andExpect(isNotRateLimited());
                mvc.perform(get("/api/orders")).andExpect(isRateLimited());
            } finally {
                System.clearProperty("HOURLY_LIMIT");
                refresher.refresh();
            }
            mvc.perform(get("/api/orders")).andExpect(isNotRateLimited());
        }
    }
}
