package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.remaining;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.RequestPostProcessor;

@HowTo("proxy")
@TestPropertySource(properties = "management.endpoints.web.exposure.include=ratelimits")
class ProxyTest {

    @Autowired
    private MockMvc mvc;

    @Test
    void aTrustedProxyNamesTheClient() throws Exception {
        mvc.perform(get("/a").with(from("10.0.0.7")).header("X-Forwarded-For", "203.0.113.9"))
                .andExpect(remaining(99));
        mvc.perform(get("/a").with(from("10.0.0.8")).header("X-Forwarded-For", "203.0.113.9"))
                .andExpect(remaining(98));
        mvc.perform(get("/a").with(from("10.0.0.7")).header("X-Forwarded-For", "203.0.113.10"))
                .andExpect(remaining(99));
    }

    @Test
    void theEndpointSaysWhomItNames() throws Exception {
        mvc.perform(get(URI.create(
                        "/actuator/ratelimits?path=%2F&address=10.0.0.7&header=X-Forwarded-For:203.0.113.9")))
                .andExpect(jsonPath("$.routes[0].subject").value("ip:203.0.113.9"));
    }

    @Test
    void nobodyElseDoes() throws Exception {
        mvc.perform(get("/a").with(from("198.51.100.1")).header("X-Forwarded-For", "203.0.113.9"))
                .andExpect(remaining(99));
        mvc.perform(get("/a").with(from("198.51.100.1")).header("X-Forwarded-For", "203.0.113.10"))
                .andExpect(remaining(98));
    }

    private static RequestPostProcessor from(String address) {
        return request -> {
            request.setRemoteAddr(address);
            return request;
        };
    }
}
