package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.PlanResolver;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.annotation.RequestScope;

/** Resolvers may be beans of the request, which is not there while the application starts. */
class RequestScopeHttpTest {

    @Configuration(proxyBeanMethods = false)
    static class Resolvers {

        @Bean
        @RequestScope
        KeyResolver tenant(HttpServletRequest request) {
            return view -> request.getHeader("X-Tenant");
        }

        @Bean
        @RequestScope
        PlanResolver planOfTenant(HttpServletRequest request) {
            return view -> request.getHeader("X-Plan");
        }
    }

    @RestController
    static class Orders {
        @GetMapping("/orders")
        String orders() {
            return "orders";
        }
    }

    @Test
    void resolversOfTheRequestNameSubjectAndPlan() {
        try (TestApp app = TestApp.start(
                List.of(Resolvers.class, Orders.class),
                "rate-limiter.limits.orders.max-requests=3",
                "rate-limiter.limits.orders.plans.gold.max-requests=9",
                "rate-limiter.routes.orders.paths=/orders",
                "rate-limiter.routes.orders.limits=orders",
                "rate-limiter.routes.orders.key=tenant",
                "rate-limiter.routes.orders.plan=planOfTenant")) {
            assertThat(remaining(app, "acme", "gold")).isEqualTo("8");
            assertThat(remaining(app, "acme", "gold")).isEqualTo("7");
            assertThat(remaining(app, "other", "none")).isEqualTo("2");
        }
    }

    private static String remaining(TestApp app, String tenant, String plan) {
        Answer answer = app.get("/orders", "X-Tenant", tenant, "X-Plan", plan);
        assertThat(answer.status()).isEqualTo(200);
        return answer.header("X-RateLimit-Remaining");
    }
}
