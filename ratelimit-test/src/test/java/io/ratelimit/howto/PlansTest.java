package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.ratelimit.spring.PlanResolver;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

@HowTo("plans")
class PlansTest {

    @TestConfiguration(proxyBeanMethods = false)
    static class Customers {

        @Bean
        PlanResolver planOfCustomer() {
            Map<String, String> contracts = Map.of("acme", "gold", "bob", "staff", "eve", "free");
            return request -> request.principal() == null
                    ? null
                    : contracts.get(request.principal().getName());
        }
    }

    @Autowired
    private MockMvc mvc;

    @Test
    void eachCustomerHasTheNumbersOfItsPlan() throws Exception {
        admits(6, "acme");
        mvc.perform(by("acme")).andExpect(isRateLimited());
        admits(20, "bob");
        admits(3, "eve");
        mvc.perform(by("eve")).andExpect(isRateLimited());
    }

    private void admits(int requests, String customer) throws Exception {
        for (int i = 0; i < requests; i++) {
            mvc.perform(by(customer)).andExpect(isNotRateLimited());
        }
    }

    private static MockHttpServletRequestBuilder by(String customer) {
        return get("/api/orders").principal(() -> customer);
    }
}
