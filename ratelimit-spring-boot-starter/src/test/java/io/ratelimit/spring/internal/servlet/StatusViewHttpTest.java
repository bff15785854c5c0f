package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.web.ShopController;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.web.servlet.error.ErrorViewResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

/** Error view resolvers, which Spring Boot has for servlet applications only. */
class StatusViewHttpTest {

    @Configuration(proxyBeanMethods = false)
    static class OwnErrorView {
        @Bean
        View error() {
            return (model, request, response) -> response.getWriter().write("own");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnViewOf429 {

        @Bean
        ErrorViewResolver slowDown() {
            return (request, status, model) -> status.value() != 429
                    ? null
                    : new ModelAndView(
                            (values, its, response) -> response.getWriter().write("own 429"));
        }
    }

    @Test
    void theViewOfTheStatusGoesFirst() {
        try (TestApp app = TestApp.start(
                List.of(AtSettableTime.class, ShopController.class, OwnErrorView.class, OwnViewOf429.class),
                "rate-limiter.routes.plain.paths=/plain/**",
                "rate-limiter.routes.plain.max-requests=1")) {
            app.get("/plain/x", "Accept", "text/html");
            assertThat(app.get("/plain/x", "Accept", "text/html").body()).isEqualTo("own 429");
        }
    }
}
