package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.UrlHandlerFilter;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** Exceptions that leave the handler, and that Spring Security, Spring Boot or a filter answers. */
class AnsweredElsewhereHttpTest {

    @RestController
    static class Failing {

        @GetMapping({"/two/login", "/exact/login"})
        String login() {
            throw new BadCredentialsException("wrong");
        }

        @GetMapping("/two/refusing")
        String refusing() {
            throw new IllegalStateException();
        }

        @GetMapping("/plain/ok")
        String ok() {
            return "ok";
        }

        @GetMapping({"/two/denied", "/exact/denied"})
        String denied() {
            throw new AccessDeniedException("not you");
        }

        @GetMapping({"/two/left", "/two/named", "/two/pin"})
        String left() {
            throw new WrongPinException("wrong");
        }

        @GetMapping("/two/quoting")
        String quoting() {
            throw quotingException();
        }

        /** Has in it what a client wrote into its request. */
        static WrongPinException quotingException() {
            return new WrongPinException("Mozilla/5.0 (broken pipe)");
        }

        @GetMapping("/two/annotated")
        String annotated() {
            throw new WrongPasswordException();
        }
    }

    @ResponseStatus(HttpStatus.UNAUTHORIZED)
    static final class WrongPasswordException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static final class WrongPinException extends RuntimeException {
        private static final long serialVersionUID = 1;

        WrongPinException(String message) {
            super(message);
        }
    }

    static final class QuotingServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws ServletException {
            throw new ServletException(Failing.quotingException());
        }
    }

    /** Nobody can answer its exception any more. */
    static final class BreakingServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            request.setAttribute("tokens", 0);
            response.flushBuffer();
            throw new ServletException(new WrongPinException("late"));
        }
    }

    /** The same on the other stack. */
    @RestController
    static class BreakingHandler {

        @GetMapping("/two/broken")
        Mono<Void> broken(ServerWebExchange exchange) {
            exchange.getAttributes().put("tokens", 0);
            return exchange.getResponse().setComplete().then(Mono.error(new WrongPinException("late")));
        }
    }

    @Controller
    static class Forwarding {

        @GetMapping("/two/forwarding")
        String forwarding() {
            return "forward:/two/pin";
        }

        @GetMapping("/two/catching")
        void catching(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try {
                request.getRequestDispatcher("/two/refusing").forward(request, response);
            } catch (ServletException failed) {
                response.setStatus(200);
            }
        }
    }

    /** Answers such an exception by a redirect, as Spring Security does with a form to log in. */
    @Configuration(proxyBeanMethods = false)
    @Import(Forwarding.class)
    static class RedirectingServlet {
        @Bean
        FilterRegistrationBean<Filter> redirecting() {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) -> {
                try {
                    chain.doFilter(request, response);
                } catch (ServletException failed) {
                    if (!(failed.getRootCause() instanceof WrongPinException)) {
                        throw failed;
                    }
                    if (!response.isCommitted()) {
                        ((HttpServletResponse) response).sendRedirect("/start");
                    }
                }
            });
            filter.setOrder(0);
            filter.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD);
            return filter;
        }

        /** A servlet of its own, because Spring MVC takes such a text for a client that has left, and answers 200. */
        @Bean
        ServletRegistrationBean<HttpServlet> quoting() {
            return new ServletRegistrationBean<>(new QuotingServlet(), "/two/quoting");
        }

        @Bean
        ServletRegistrationBean<HttpServlet> breaking() {
            return new ServletRegistrationBean<>(new BreakingServlet(), "/two/broken");
        }

        @Bean
        FilterRegistrationBean<Filter> withoutSlash() {
            FilterRegistrationBean<Filter> filter =
                    new FilterRegistrationBean<>(UrlHandlerFilter.trailingSlashHandler("/exact/**")
                            .wrapRequest()
                            .build());
            filter.setOrder(1);
            return filter;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(BreakingHandler.class)
    static class RedirectingReactive {
        @Bean
        @Order(0)
        WebFilter redirecting() {
            return (exchange, chain) -> chain.filter(exchange).onErrorResume(WrongPinException.class, failed -> {
                if (exchange.getResponse().isCommitted()) {
                    return Mono.empty();
                }
                exchange.getResponse().setStatusCode(HttpStatus.FOUND);
                exchange.getResponse().getHeaders().setLocation(URI.create("/start"));
                return exchange.getResponse().setComplete();
            });
        }

        @Bean
        @Order(1)
        WebFilter withoutSlash() {
            return org.springframework.web.filter.reactive.UrlHandlerFilter.trailingSlashHandler("/exact/**")
                    .mutateRequest()
                    .build();
        }
    }

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }

        @Test
        void countsAnExceptionThatIsAnsweredInsideAForward() {
            assertThat(statuses("/two/forwarding")).containsExactly(302, 302, 429, 429);
        }

        @Test
        void doesNotCountAnExceptionOfAForwardThatWhatForwardsAnswers() {
            assertThat(statuses("/two/catching")).containsExactly(200, 200, 200, 200);
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {

        private final Stack stack;
        private TestApp app;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @BeforeAll
        void start() {
            app = TestApp.startSecured(
                    stack,
                    List.of(
                            Secured.by(stack),
                            Failing.class,
                            stack == Stack.SERVLET ? RedirectingServlet.class : RedirectingReactive.class),
                    "rate-limiter.routes.refused.paths=/two/**",
                    "rate-limiter.routes.refused.max-requests=2",
                    "rate-limiter.routes.refused.window-size=1d",
                    "rate-limiter.routes.refused.count=401,403",
                    "rate-limiter.routes.refused.key=caller",
                    "rate-limiter.routes.left.paths=/two/left",
                    "rate-limiter.routes.left.max-requests=2",
                    "rate-limiter.routes.left.window-size=1d",
                    "rate-limiter.routes.left.count=failures",
                    "rate-limiter.routes.left.key=ip",
                    "rate-limiter.routes.cut.paths=/two/broken",
                    "rate-limiter.routes.cut.max-requests=10",
                    "rate-limiter.routes.cut.window-size=1d",
                    "rate-limiter.routes.cut.cost=5",
                    "rate-limiter.routes.cut.actual-cost=#request.attribute('tokens')",
                    "rate-limiter.routes.cut.key=ip",
                    "rate-limiter.routes.catching.paths=/two/catching",
                    "rate-limiter.routes.catching.max-requests=2",
                    "rate-limiter.routes.catching.window-size=1d",
                    "rate-limiter.routes.catching.count=failures",
                    "rate-limiter.routes.catching.key=ip",
                    "rate-limiter.routes.forwarding.paths=/two/forwarding",
                    "rate-limiter.routes.forwarding.max-requests=2",
                    "rate-limiter.routes.forwarding.window-size=1d",
                    "rate-limiter.routes.forwarding.count=failures",
                    "rate-limiter.routes.forwarding.key=ip",
                    "rate-limiter.routes.quoting.paths=/two/quoting",
                    "rate-limiter.routes.quoting.max-requests=2",
                    "rate-limiter.routes.quoting.window-size=1d",
                    "rate-limiter.routes.quoting.count=failures",
                    "rate-limiter.routes.quoting.key=ip",
                    "rate-limiter.routes.named.paths=/two/named",
                    "rate-limiter.routes.named.max-requests=2",
                    "rate-limiter.routes.named.window-size=1d",
                    "rate-limiter.routes.named.count=WrongPinException",
                    "rate-limiter.routes.named.key=caller",
                    "rate-limiter.routes.exact.paths=/exact/login",
                    "rate-limiter.routes.exact.max-requests=2",
                    "rate-limiter.routes.exact.window-size=1d",
                    "rate-limiter.routes.exact.count=401",
                    "rate-limiter.routes.exact.key=caller",
                    "rate-limiter.routes.broken.paths=/exact/denied",
                    "rate-limiter.routes.broken.max-requests=2",
                    "rate-limiter.routes.broken.window-size=1d",
                    "rate-limiter.routes.broken.count=5xx",
                    "rate-limiter.routes.broken.key=caller",
                    "rate-limiter.routes.costly.paths=/plain/**",
                    "rate-limiter.routes.costly.max-requests=10",
                    "rate-limiter.routes.costly.window-size=1d",
                    "rate-limiter.routes.costly.key=principal",
                    "rate-limiter.routes.costly.cost=header:X-Cost",
                    "rate-limiter.routes.beside.paths=/plain/**",
                    "rate-limiter.routes.beside.max-requests=2",
                    "rate-limiter.routes.beside.window-size=1d",
                    "rate-limiter.routes.beside.key=principal");
        }

        @AfterAll
        void stop() {
            app.close();
        }

        @ParameterizedTest
        @CsvSource({"alice, login, 401", "bob, denied, 403", "ip-127.0.0.1, annotated, 401"})
        void countsByTheStatusOfTheAnswer(String user, String path, int status) {
            assertThat(IntStream.range(0, 4)
                            .map(i -> app.get("/two/" + path, "Authorization", Secured.basic(user, "pw"))
                                    .status()))
                    .containsExactly(status, status, 429, 429);
        }

        /** Only the last filter knows the route, because the ones before it have seen another path. */
        @ParameterizedTest
        @CsvSource({"login, '401, 401, 429, 429'", "denied, '403, 403, 403, 403'"})
        void countsByTheStatusOfTheAnswerWhatOnlyTheLastFilterMatches(String path, String statuses) {
            assertThat(IntStream.range(0, 4)
                            .map(i -> app.get("/exact/" + path + "/", "Authorization", Secured.basic("alice", "pw"))
                                    .status())
                            .mapToObj(Integer::toString))
                    .containsExactly(statuses.split(", "));
        }

        @ParameterizedTest
        @ValueSource(strings = {"left", "quoting", "named"})
        void countsTheExceptionWhateverTheAnswer(String path) {
            assertThat(statuses("/two/" + path)).containsExactly(302, 302, 429, 429);
        }

        @Test
        void keepsTheEstimateOfAResponseThatIsBrokenOffAndSwallowed() {
            assertThat(statuses("/two/broken")).containsExactly(200, 200, 429, 429);
        }

        final IntStream statuses(String path) {
            return IntStream.range(0, 4).map(i -> app.get(path).status());
        }

        @Test
        void aRequestWhoseCostCannotBeReadChargesNoOtherRoute() {
            assertThat(IntStream.range(0, 3).map(i -> costing("many"))).containsExactly(400, 400, 400);
            assertThat(IntStream.range(0, 3).map(i -> costing("1"))).containsExactly(200, 200, 429);
        }

        private int costing(String cost) {
            return app.get("/plain/ok", "Authorization", Secured.basic("alice", "pw"), "X-Cost", cost)
                    .status();
        }
    }
}
