package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

@HowTo("exempt")
class ExemptTest {

    @Autowired
    private MockMvc mvc;

    @Test
    void anInternalNetworkIsNotLimited() throws Exception {
        for (int i = 0; i < 5; i++) {
            mvc.perform(from("10.1.2.3")).andExpect(isNotRateLimited());
        }
        mvc.perform(from("192.0.2.7")).andExpect(isNotRateLimited());
        mvc.perform(from("192.0.2.7")).andExpect(isNotRateLimited());
        mvc.perform(from("192.0.2.7")).andExpect(isRateLimited());
    }

    @Test
    void whatAProxyMarksIsNotLimited() throws Exception {
        for (int i = 0; i < 5; i++) {
            mvc.perform(get("/reports/a").header("X-Internal", "true")).andExpect(isNotRateLimited());
        }
        mvc.perform(get("/reports/a")).andExpect(isNotRateLimited());
        mvc.perform(get("/reports/a")).andExpect(isNotRateLimited());
        mvc.perform(get("/reports/a")).andExpect(isRateLimited());
    }

    @Test
    void aRouteAllowsAnAddress() throws Exception {
        for (int i = 0; i < 3; i++) {
            mvc.perform(from("198.51.100.7")).andExpect(isNotRateLimited());
        }
    }

    @Test
    void whatIsDeniedIsForbidden() throws Exception {
        mvc.perform(from("203.0.113.9")).andExpect(status().isForbidden());
        mvc.perform(from("10.6.6.6")).andExpect(status().isForbidden());
        mvc.perform(get("/").header("X-Api-Key", "leaked")).andExpect(status().isForbidden());
    }

    private static MockHttpServletRequestBuilder from(String address) {
        return get("/api/a").with(request -> {
            request.setRemoteAddr(address);
            return request;
        });
    }
}
