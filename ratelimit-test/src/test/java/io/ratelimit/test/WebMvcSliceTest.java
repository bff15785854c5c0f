package io.ratelimit.test;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.test.web.servlet.MockMvc;

@WebMvcTest(
        controllers = Orders.class,
        properties = {"spring.config.name=shop", "rate-limiter.store=redis"})
class WebMvcSliceTest {

    @Autowired
    private MockMvc mvc;

    @Autowired
    private TestClock clock;

    @Test
    void annotationsLimit() throws Exception {
        mvc.perform(get("/search?user=alice")).andExpect(isNotRateLimited());
        mvc.perform(get("/search?user=alice")).andExpect(isNotRateLimited());
        mvc.perform(get("/search?user=alice")).andExpect(isRateLimited());
        clock.advance(Duration.ofMinutes(1));
        mvc.perform(get("/search?user=alice")).andExpect(isNotRateLimited());
    }

    @Test
    void routesLimit() throws Exception {
        for (int i = 0; i < 5; i++) {
            mvc.perform(post("/login")).andExpect(isNotRateLimited());
        }
        mvc.perform(post("/login")).andExpect(isRateLimited());
    }
}
