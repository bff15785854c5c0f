package io.ratelimit.test;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.remaining;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.retryAfter;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.setup.MockMvcBuilders.standaloneSetup;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

class StandaloneRateLimitsTest {

    @RestController
    static class Broken {

        @GetMapping("/broken")
        String broken() {
            throw new IllegalStateException("broken");
        }
    }

    @Test
    void annotationsOfAControllerLimit() throws Exception {
        try (StandaloneRateLimits limits = StandaloneRateLimits.of()) {
            MockMvc mvc =
                    standaloneSetup(limits.limited(new Orders())).apply(limits).build();
            mvc.perform(get("/search?user=alice")).andExpectAll(isNotRateLimited(), remaining("search", 1));
            mvc.perform(get("/search?user=alice"))
                    .andExpectAll(isNotRateLimited(), content().string("found"));
            mvc.perform(get("/search?user=alice")).andExpectAll(isRateLimited(), retryAfter(Duration.ofMinutes(1)));
            mvc.perform(get("/search?user=bob")).andExpect(isNotRateLimited());
            limits.clock().advance(Duration.ofMinutes(1));
            mvc.perform(get("/search?user=alice")).andExpect(isNotRateLimited());
        }
    }

    @Test
    void otherFailuresAreTheTests() {
        try (StandaloneRateLimits limits = StandaloneRateLimits.of()) {
            MockMvc mvc =
                    standaloneSetup(limits.limited(new Broken())).apply(limits).build();
            assertThatThrownBy(() -> mvc.perform(get("/broken"))).hasRootCauseMessage("broken");
        }
    }

    @Test
    void whatCannotWorkSaysWhatAStartWouldSay() {
        assertThatThrownBy(() -> StandaloneRateLimits.of("rate-limiter.max-requests=0"))
                .hasStackTraceContaining("max-requests '0' must be at least 1");
    }
}
