package io.ratelimit.howto;

import static io.ratelimit.test.RateLimitAssertions.assertThatRequest;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.remaining;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

@HowTo("levels")
class LevelsTest {

    @Autowired
    private ApplicationContext context;

    @Autowired
    private MockMvc mvc;

    @Test
    void eachLevelCountsByItsKeyAndAllOfThemAreOneDecision() throws Exception {
        for (int i = 0; i < 3; i++) {
            mvc.perform(by("ann").header("X-Team", "red")).andExpect(isNotRateLimited());
        }
        mvc.perform(by("ann").header("X-Team", "red")).andExpectAll(isRateLimited(), remaining("org", 3));
        mvc.perform(by("bob").header("X-Team", "red")).andExpectAll(isNotRateLimited(), remaining("team", 0));
        mvc.perform(by("cid")).andExpectAll(isNotRateLimited(), remaining("org", 1), remaining("user", 2));
        assertThatRequest(context, "GET", "/api/orders").isLimitedBy("team").by("header:X-Team");
    }

    private static MockHttpServletRequestBuilder by(String user) {
        return get("/api/orders").header("X-Org", "acme").principal(() -> user);
    }
}
