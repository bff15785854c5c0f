package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.remaining;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.retryAfter;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@HowTo("several-limits")
@Import(SeveralLimitsTest.Search.class)
class SeveralLimitsTest {

    @RestController
    static class Search {

        @RateLimited(
                value = {"burst", "hourly"},
                key = "header:X-Api-Key")
        @RateLimited(value = "everybody", key = "global", cost = "2")
        @GetMapping("/export")
        String export() {
            return "exported";
        }

        @GetMapping("/api/search")
        String search() {
            return "found";
        }
    }

    @Autowired
    private MockMvc mvc;

    @Autowired
    private TestClock clock;

    @Test
    void routesThatMatchAreOneDecision() throws Exception {
        mvc.perform(get("/api/search").header("X-Api-Key", "k1"))
                .andExpectAll(isNotRateLimited(), remaining("burst", 19), remaining("everybody", 4_990));
        for (int i = 0; i < 19; i++) {
            mvc.perform(get("/api/search").header("X-Api-Key", "k1")).andExpect(isNotRateLimited());
        }
        mvc.perform(get("/api/search").header("X-Api-Key", "k1"))
                .andExpectAll(isRateLimited(), retryAfter(Duration.ofSeconds(1)), remaining("everybody", 4_800));
        clock.advance(Duration.ofSeconds(1));
        mvc.perform(get("/api/search").header("X-Api-Key", "k1"))
                .andExpectAll(isNotRateLimited(), remaining("everybody", 4_790));
    }

    @Test
    void annotationsOfAMethodAreOneDecision() throws Exception {
        mvc.perform(get("/export").header("X-Api-Key", "k1"))
                .andExpectAll(remaining("burst", 19), remaining("hourly", 999), remaining("everybody", 4_998));
    }
}
