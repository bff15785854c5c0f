package io.ratelimit.compatibility.slices;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.remaining;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.retryAfter;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.ratelimit.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;

@WebMvcTest(properties = {"rate-limiter.routes.routed.paths=/routed", "rate-limiter.routes.routed.max-requests=1"})
class WebMvcSliceTest {

    @Autowired
    private MockMvc mvc;

    @Autowired
    private TestClock clock;

    @RepeatedTest(2)
    void routesLimit() throws Exception {
        call("/routed").andExpectAll(isNotRateLimited(), remaining("routed", 0));
        call("/routed").andExpectAll(isRateLimited(), retryAfter(Duration.ofMinutes(1)));
        clock.advance(Duration.ofMinutes(1));
        call("/routed").andExpect(isNotRateLimited());
    }

    @RepeatedTest(2)
    void annotationsLimit() throws Exception {
        call("/annotated?user=alice").andExpect(isNotRateLimited());
        ResultActions refused = call("/annotated?user=alice");
        if (refused.andReturn().getRequest().isAsyncStarted()) {
            refused = mvc.perform(
                    asyncDispatch(refused.andReturn()));
        }
        refused.andExpect(isRateLimited());
    }

    private ResultActions call(String path) throws Exception {
        return mvc.perform(get(path));
    }
}
