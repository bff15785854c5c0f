package io.ratelimit.howto;

import static io.ratelimit.test.RateLimitAssertions.assertThatRequest;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;

import io.ratelimit.DecisionListener;
import io.ratelimit.spring.RequestView;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;

@HowTo("try-a-limit")
@Import(TryALimitTest.Orders.class)
class TryALimitTest {

    @RestController
    static class Orders {

        @GetMapping("/api/orders")
        String orders(@RequestAttribute(name = RequestView.EXCEEDED_LIMITS, required = false) Set<String> exceeded) {
            return exceeded == null ? "orders" : "orders, and soon fewer because of " + exceeded;
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Counting {

        private final List<String> exceeded = new CopyOnWriteArrayList<>();

        @Bean
        DecisionListener exceededLimits() {
            return (acquisition, decision) -> decision.exceeded()
                    .forEach(status -> exceeded.add(status.limit().name()));
        }
    }

    @Autowired
    private ApplicationContext context;

    @Autowired
    private MockMvc mvc;

    @Autowired
    private Counting counting;

    @BeforeEach
    void clear() {
        counting.exceeded.clear();
    }

    @Test
    void twoNumbersAreTriedBesideTheOneThatRefuses() throws Exception {
        for (int i = 0; i < 10; i++) {
            mvc.perform(get("/api/orders")).andExpect(isNotRateLimited());
        }
        mvc.perform(get("/api/orders")).andExpect(isRateLimited());

        assertThat(counting.exceeded)
                .hasSize(12)
                .satisfies(names -> assertThat(names).filteredOn("five"::equals).hasSize(5));
        assertThatRequest(context, "GET", "/api/orders").isReportedBy("five");
    }

    @Test
    void theApplicationSeesWhoExceedsThem() throws Exception {
        mvc.perform(get("/api/orders")).andExpect(content().string("orders"));
        for (int i = 1; i < 5; i++) {
            mvc.perform(get("/api/orders"));
        }
        mvc.perform(get("/api/orders")).andExpect(content().string("orders, and soon fewer because of [five, three]"));
    }
}
