package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.remaining;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

@HowTo("api-keys")
@Import({ApiKeysTest.Orders.class, ApiKeysTest.Plans.class})
class ApiKeysTest {

    /** What the page shows. */
    @Service
    static class Plans {

        private final RateLimiter limiter;

        Plans(RateLimiter limiter) {
            this.limiter = limiter;
        }

        void charge(String apiKey, int perMinute) {
            Limit plan = Limit.of("plan", Algorithm.TOKEN_BUCKET, perMinute, Duration.ofMinutes(1));
            Decision decision = limiter.acquire(Acquisition.of(plan, apiKey));
            if (!decision.allowed()) {
                throw new RateLimitExceededException(decision);
            }
        }
    }

    @RestController
    static class Orders {

        private final Plans plans;

        Orders(Plans plans) {
            this.plans = plans;
        }

        @GetMapping("/api/orders")
        String orders() {
            return "orders";
        }

        @GetMapping("/plans/orders")
        String ofPlan(@RequestHeader("X-Api-Key") String apiKey) {
            plans.charge(apiKey, apiKey.startsWith("gold") ? 3 : 1);
            return "orders";
        }
    }

    @Autowired
    private MockMvc mvc;

    @Test
    void eachKeyHasItsOwnQuota() throws Exception {
        for (int left = 99; left >= 0; left--) {
            mvc.perform(get("/api/orders").header("X-Api-Key", "k1"))
                    .andExpectAll(isNotRateLimited(), remaining("per-key", left));
        }
        mvc.perform(get("/api/orders").header("X-Api-Key", "k1")).andExpect(isRateLimited());
        mvc.perform(get("/api/orders").header("X-Api-Key", "k2")).andExpect(isNotRateLimited());
    }

    @Test
    void planDecidesHowMuch() throws Exception {
        mvc.perform(get("/plans/orders").header("X-Api-Key", "free")).andExpect(isNotRateLimited());
        mvc.perform(get("/plans/orders").header("X-Api-Key", "free")).andExpect(isRateLimited());
        for (int i = 0; i < 3; i++) {
            mvc.perform(get("/plans/orders").header("X-Api-Key", "gold")).andExpect(isNotRateLimited());
        }
        mvc.perform(get("/plans/orders").header("X-Api-Key", "gold")).andExpect(isRateLimited());
    }
}
