package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A query that the server refuses reaches no handler that reads it, whatever a key has asked. */
class UnreadableParametersHttpTest {

    @RestController
    static class Endpoint {
        @GetMapping({"/key", "/condition"})
        String read(@RequestParam(required = false) String user) {
            return "of " + user;
        }
    }

    @RestController
    static class Tolerant {
        /** Reads again what has failed. */
        @GetMapping("/tolerant")
        String read(HttpServletRequest request) {
            try {
                return "at once: " + request.getParameter("user");
            } catch (IllegalStateException unreadable) {
                return "then: " + request.getParameter("user");
            }
        }
    }

    /** As Tomcat 11: it fails the first time, and then answers without what it could not read. */
    private static final class FailingOnce extends HttpServletRequestWrapper {
        private boolean failed;

        FailingOnce(HttpServletRequest request) {
            super(request);
        }

        private void fail() {
            if (!failed) {
                failed = true;
                throw new IllegalStateException("unreadable for the test");
            }
        }

        @Override
        public String getParameter(String name) {
            fail();
            return null;
        }

        @Override
        public String[] getParameterValues(String name) {
            fail();
            return null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        FilterRegistrationBean<Filter> server() {
            FilterRegistrationBean<Filter> first = new FilterRegistrationBean<>((request, response, chain) ->
                    chain.doFilter(new FailingOnce((HttpServletRequest) request), response));
            first.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return first;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/key", "/condition"})
    void theHandlerFailsAsItDoesWithoutALimit(String path) {
        try (TestApp app = TestApp.start(
                Stack.SERVLET,
                List.of(Application.class, Endpoint.class, Tolerant.class),
                "rate-limiter.routes.key.paths=/key,/tolerant",
                "rate-limiter.routes.key.max-requests=2",
                "rate-limiter.routes.key.key=param:user",
                "rate-limiter.routes.condition.paths=/condition",
                "rate-limiter.routes.condition.max-requests=2",
                "rate-limiter.routes.condition.condition=#request.param('probe') == null")) {
            assertThat(app.get(path + "?user=a").status()).isEqualTo(500);
            assertThat(app.get("/tolerant?user=a").body()).isEqualTo("then: null");
        }
    }
}
