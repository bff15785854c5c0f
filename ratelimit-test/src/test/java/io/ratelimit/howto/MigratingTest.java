package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.remaining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.test.web.servlet.MockMvc;

@HowTo("migrating")
@Import(MigratingTest.Backend.class)
class MigratingTest {

    @Service
    static class Backend {

        @RateLimited(value = "backend", key = "global", fallbackMethod = "cached")
        String call() {
            return "called";
        }

        String cached(RateLimitExceededException refused) {
            return "cached";
        }
    }

    @Autowired
    private MockMvc mvc;

    @Autowired
    private TestClock clock;

    @Test
    void bucket4jsBandwidth() throws Exception {
        for (int left = 19; left >= 0; left--) {
            mvc.perform(get("/bucket4j/a").header("X-Api-Key", "k1")).andExpect(remaining("bucket", left));
        }
        mvc.perform(get("/bucket4j/a").header("X-Api-Key", "k1")).andExpect(isRateLimited());
        mvc.perform(post("/bucket4j/a").header("X-Api-Key", "k1")).andExpect(isNotRateLimited());
        clock.advance(Duration.ofSeconds(6));
        mvc.perform(get("/bucket4j/a").header("X-Api-Key", "k1")).andExpect(isNotRateLimited());
    }

    @Test
    void bucket4jsBandwidthsAndCondition() throws Exception {
        for (int left = 9; left >= 0; left--) {
            mvc.perform(get("/bandwidths/a")).andExpectAll(remaining("interval", left), remaining("hourly", 90 + left));
        }
        mvc.perform(get("/bandwidths/a")).andExpect(isRateLimited());
        mvc.perform(get("/bandwidths/a").header("X-Internal", "yes")).andExpect(isNotRateLimited());
        clock.advance(Duration.ofMinutes(1));
        mvc.perform(get("/bandwidths/a")).andExpect(remaining("interval", 9));
    }

    @Test
    void theSameThreeProperties() throws Exception {
        for (int left = 2; left >= 0; left--) {
            mvc.perform(get("/check?userId=alice")).andExpect(remaining("default", left));
        }
        mvc.perform(get("/check?userId=alice")).andExpect(isRateLimited());
        mvc.perform(get("/check?userId=bob")).andExpect(remaining("default", 2));
        mvc.perform(get("/check")).andExpect(remaining("default", 2));
    }

    @Test
    void resilience4jsInstance(@Autowired Backend backend) {
        for (int i = 0; i < 3; i++) {
            assertThat(backend.call()).isEqualTo("called");
        }
        assertThat(backend.call()).isEqualTo("cached");
        clock.advance(Duration.ofSeconds(1));
        assertThat(backend.call()).isEqualTo("called");
    }

    @Test
    void theGatewaysReplenishRate() throws Exception {
        for (int left = 8; left >= 0; left -= 2) {
            mvc.perform(get("/gateway/a")).andExpect(remaining("gateway", left));
        }
        mvc.perform(get("/gateway/a")).andExpect(isRateLimited());
        clock.advance(Duration.ofMillis(400));
        mvc.perform(get("/gateway/a")).andExpect(isNotRateLimited());
    }

    @Test
    void redissonsPermits(@Autowired RateLimiter limiter) {
        String user = "alice";
        Limit limit = Limit.of("name", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofSeconds(10));
        boolean allowed = limiter.acquire(Acquisition.of(limit, user, 2)).allowed();
        long available = limiter.peek(Acquisition.of(limit, user)).remaining();
        assertThat(allowed).isTrue();
        assertThat(available).isEqualTo(3);
    }
}
