package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

/** A request that fails within Spring Security, as with a token that cannot be checked, is charged by address. */
class FailingSecurityHttpTest {

    private static final String TOKEN = "X-Token";

    @Configuration(proxyBeanMethods = false)
    static class OnServlet {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.addFilterBefore(new Tokens(), SecurityContextHolderFilter.class)
                    .build();
        }
    }

    record Context(ApplicationContext application) {}

    /** As many applications have one. */
    private static final class Tokens extends OncePerRequestFilter {

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            if (request.getHeader(TOKEN) != null) {
                throw new ServletException("no key for this token");
            }
            chain.doFilter(request, response);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnReactive {

        @Bean
        SecurityWebFilterChain chain(ServerHttpSecurity http) {
            return http.addFilterAt(
                            (exchange, chain) ->
                                    exchange.getRequest().getHeaders().getFirst(TOKEN) != null
                                            ? Mono.error(new ResponseStatusException(HttpStatus.INTERNAL_SERVER_ERROR))
                                            : chain.filter(exchange),
                            SecurityWebFiltersOrder.FIRST)
                    .build();
        }
    }

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET, OnServlet.class);
        }

        /** Tomcat makes an exception of an error, and other servers do not. */
        @Test
        void countsTheAddressOfOneThatEndsWithAnError() throws ServletException, IOException {
            try (TestApp app = start()) {
                Filter first = app.bean(Context.class)
                        .application()
                        .getBean("rateLimiterRoutesBeforeAuthentication", FilterRegistrationBean.class)
                        .getFilter();
                for (int i = 0; i < 3; i++) {
                    assertThatExceptionOfType(NoSuchMethodError.class).isThrownBy(() -> fail(first));
                }
                assertThat(fail(first).getStatus()).isEqualTo(429);
            }
        }

        private static MockHttpServletResponse fail(Filter filter) throws ServletException, IOException {
            MockHttpServletResponse response = new MockHttpServletResponse();
            filter.doFilter(new MockHttpServletRequest("GET", "/plain/x"), response, (request, inner) -> {
                throw new NoSuchMethodError("parse");
            });
            return response;
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE, OnReactive.class);
        }
    }

    abstract static class OnStack {

        private final Stack stack;
        private final Class<?> security;

        OnStack(Stack stack, Class<?> security) {
            this.stack = stack;
            this.security = security;
        }

        @Test
        void countsTheAddress() {
            try (TestApp app = start()) {
                assertThat(IntStream.range(0, 5)
                                .map(i -> app.get("/plain/x", TOKEN, "?").status()))
                        .containsExactly(500, 500, 500, 429, 429);
            }
        }

        final TestApp start() {
            return TestApp.startSecured(
                    stack,
                    List.of(security, ShopController.class, Context.class),
                    "rate-limiter.routes.all.paths=/plain/**",
                    "rate-limiter.routes.all.max-requests=3",
                    "rate-limiter.routes.all.window-size=1d");
        }
    }
}
