package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.web.Secured;
import io.ratelimit.spring.web.ShopController;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;

/** A limited bean that a filter calls counts whom Spring Security has authenticated. */
class CalledByFilterHttpTest {

    static class Audited {
        @RateLimited(maxRequests = "1", windowSize = "1d")
        public void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Auditing {

        @Bean
        Audited audited() {
            return new Audited();
        }

        @Bean
        FilterRegistrationBean<Filter> auditing(Audited audited) {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) -> {
                try {
                    audited.call();
                    chain.doFilter(request, response);
                } catch (RateLimitExceededException refused) {
                    ((HttpServletResponse) response).setStatus(429);
                }
            });
            filter.setOrder(0);
            return filter;
        }
    }

    @Test
    void eachPrincipalHasAQuota() {
        try (TestApp app =
                TestApp.startSecured(List.of(Secured.by(Stack.SERVLET), Auditing.class, ShopController.class))) {
            assertThat(Stream.of("alice", "bob", "alice", "bob")
                            .map(user -> app.get(
                                            "/plain/x",
                                            "Authorization",
                                            "Basic " + HttpHeaders.encodeBasicAuth(user, "pw", null))
                                    .status()))
                    .containsExactly(200, 200, 429, 429);
            assertThat(app.get("/two/x").status()).isEqualTo(200);
            assertThat(app.get("/two/x").status()).isEqualTo(429);
        }
    }
}
