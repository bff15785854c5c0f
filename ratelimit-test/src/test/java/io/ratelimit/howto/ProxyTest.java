package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.RequestPostProcessor;

@HowTo("proxy")
class ProxyTest {

    @Autowired
    private MockMvc mvc;

    @Test
    void aTrustedProxyNamesTheClient() throws Exception {
        mvc.perform(get("/a").with(from("10.0.0.7")).header("X-Forwarded-For", "203.0.113.9"))
                .andExpect(isNotRateLimited());
        mvc.perform(get("/a").with(from("10.0.0.8")).header("X-Forwarded-For", "203.0.113.9"))
                .andExpect(isRateLimited());
        mvc.perform(get("/a").with(from("10.0.0.7")).header("X-Forwarded-For", "203.0.113.10"))
                .andExpect(isNotRateLimited());
    }

    @Test
    void nobodyElseDoes() throws Exception {
        mvc.perform(get("/a").with(from("198.51.100.1")).header("X-Forwarded-For", "203.0.113.9"))
                .andExpect(isNotRateLimited());
        mvc.perform(get("/a").with(from("198.51.100.1")).header("X-Forwarded-For", "203.0.113.10"))
                .andExpect(isRateLimited());
    }

    private static RequestPostProcessor from(String address) {
        return request -> {
            request.setRemoteAddr(address);
            return request;
        };
    }
}
