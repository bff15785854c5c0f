package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;

/** CORS preflights to a servlet that is not Spring MVC's. */
class PreflightHttpTest {

    @Configuration(proxyBeanMethods = false)
    static class Cors {

        @Bean
        CorsFilter corsFilter() {
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration("/**", new CorsConfiguration().applyPermitDefaultValues());
            return new CorsFilter(source);
        }
    }

    @Test
    void areNotCountedIfAFilterAnswersThem() {
        try (TestApp app = TestApp.start(
                List.of(AtSettableTime.class, RoutePathHttpTest.OtherServlet.class, Cors.class),
                "rate-limiter.routes.legacy.paths=/legacy/**",
                "rate-limiter.routes.legacy.max-requests=2")) {
            for (int i = 0; i < 3; i++) {
                Answer answered = preflight(app, "/legacy/foo");
                assertThat(answered.status()).isEqualTo(200);
                assertThat(answered.header("Access-Control-Allow-Origin")).isEqualTo("*");
                assertThat(answered.header("RateLimit")).isNull();
            }
            assertThat(app.get("/legacy/foo").header("RateLimit")).startsWith("\"legacy\";r=1");
        }
    }

    private static Answer preflight(TestApp app, String path) {
        return app.send("OPTIONS", path, "Origin", "https://a.example", "Access-Control-Request-Method", "GET");
    }
}
