package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.retryAfter;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;

import io.ratelimit.spring.RefusalHandler;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.web.servlet.MockMvc;

@HowTo("own-answer")
class OwnAnswerTest {

    @TestConfiguration(proxyBeanMethods = false)
    static class Answers {

        @Bean
        RefusalHandler ownAnswer() {
            return (refusal, request) -> refusal.withBody(
                    "application/json",
                    "{\"error\":\"too_many_requests\",\"retryAfter\":"
                            + refusal.headers().get("Retry-After") + "}");
        }
    }

    @Autowired
    private MockMvc mvc;

    @Test
    void refusalsHaveTheBody() throws Exception {
        mvc.perform(get("/orders"));
        mvc.perform(get("/orders"))
                .andExpectAll(
                        isRateLimited(),
                        retryAfter(Duration.ofMinutes(1)),
                        content().contentTypeCompatibleWith("application/json"),
                        content().string("{\"error\":\"too_many_requests\",\"retryAfter\":60}"));
    }
}
