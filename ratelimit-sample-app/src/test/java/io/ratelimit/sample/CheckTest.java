package io.ratelimit.sample;

import static io.ratelimit.test.RateLimitAssertions.assertThatMethod;
import static io.ratelimit.test.RateLimitAssertions.assertThatRequest;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.remaining;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.retryAfter;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.ratelimit.test.AutoConfigureTestRateLimiter;
import io.ratelimit.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.ApplicationContext;
import org.springframework.test.web.servlet.MockMvc;

/** How an application tests its limits: docs/testing.md shows this class. */
@SpringBootTest
@AutoConfigureMockMvc
@AutoConfigureTestRateLimiter
class CheckTest {

    @Autowired
    private MockMvc mvc;

    @Autowired
    private TestClock clock;

    @Test
    void theSixthCallWaitsAMinute() throws Exception {
        for (int left = 4; left >= 0; left--) {
            mvc.perform(get("/check?userId=alice")).andExpectAll(isNotRateLimited(), remaining(left));
        }
        mvc.perform(get("/check?userId=alice")).andExpectAll(isRateLimited(), retryAfter(Duration.ofMinutes(1)));

        clock.advance(Duration.ofMinutes(1));
        mvc.perform(get("/check?userId=alice")).andExpect(isNotRateLimited());
    }

    @Test
    void whatIsConfigured(@Autowired ApplicationContext context) {
        assertThatMethod(context, CheckController.class, "check")
                .isLimitedTo(5, Duration.ofMinutes(1))
                .by("param:userId")
                .failsLocal();
        assertThatRequest(context, "GET", "/routes/orders")
                .isLimitedTo(3, Duration.ofSeconds(10))
                .by("ip");
        assertThatRequest(context, "GET", "/quota/videos").isNotLimited();
    }
}
