package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.web.servlet.error.ErrorViewResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

/** A page of the application that shows a refusal by a forward, as one of JSP does. */
class RefusalPageHttpTest {

    private static final String PAGE = "/two/page";

    @RestController
    static class Pages {

        @GetMapping(PAGE)
        String page() {
            return "slow down";
        }

        @GetMapping({"/plain/ok", "/other/ok", "/part/one", "/part/two"})
        String ok() {
            return "ok";
        }

        @GetMapping("/annotated")
        @RateLimited(maxRequests = "1", key = "global")
        public String annotated() {
            return "ok";
        }

        /** Each part has a response of its own, and none is the answer. */
        @GetMapping("/composite")
        String composite(HttpServletRequest request) throws ServletException, IOException {
            return statusOf("/part/one", request) + " " + statusOf("/part/two", request);
        }

        private static int statusOf(String part, HttpServletRequest request) throws ServletException, IOException {
            MockHttpServletResponse response = new MockHttpServletResponse();
            request.getRequestDispatcher(part).forward(request, response);
            return response.getStatus();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Forwarding {
        @Bean
        ErrorViewResolver forwarding() {
            View page = (model, request, response) ->
                    request.getRequestDispatcher(PAGE).forward(request, response);
            return (request, status, model) -> new ModelAndView(page);
        }
    }

    @Test
    void chargesTheRefusedRequestNoFurtherRoute() {
        try (TestApp app = TestApp.startSecured(
                List.of(Secured.by(Stack.SERVLET), Pages.class, Forwarding.class),
                "rate-limiter.routes.address.paths=/plain/**",
                "rate-limiter.routes.address.max-requests=1",
                "rate-limiter.routes.address.window-size=1d",
                "rate-limiter.routes.address.key=ip",
                "rate-limiter.routes.user.paths=/**",
                "rate-limiter.routes.user.max-requests=5",
                "rate-limiter.routes.user.window-size=1d",
                "rate-limiter.routes.user.key=principal")) {
            assertThat(get(app, "/plain/ok").body()).isEqualTo("ok");

            Answer refused = get(app, "/plain/ok");

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.body()).isEqualTo("slow down");
            assertThat(get(app, "/other/ok").header("RateLimit")).startsWith("\"user\";r=3;");
        }
    }

    @Test
    void chargesTheRefusedCallOfAMethodNoRoute() {
        try (TestApp app = TestApp.startSecured(
                List.of(Secured.by(Stack.SERVLET), Pages.class, Forwarding.class),
                "rate-limiter.routes.page.paths=" + PAGE,
                "rate-limiter.routes.page.max-requests=5",
                "rate-limiter.routes.page.key=global")) {
            assertThat(get(app, "/annotated").body()).isEqualTo("ok");

            assertThat(get(app, "/annotated").body()).isEqualTo("slow down");
            assertThat(get(app, PAGE).header("RateLimit")).startsWith("\"page\";r=4;");
        }
    }

    @Test
    void aRefusedPartOfAPageLeavesTheOtherPartsToTheirRoutes() {
        try (TestApp app = TestApp.startSecured(
                List.of(Secured.by(Stack.SERVLET), Pages.class, Forwarding.class),
                "rate-limiter.routes.one.paths=/part/one",
                "rate-limiter.routes.one.max-requests=1",
                "rate-limiter.routes.one.key=global",
                "rate-limiter.routes.two.paths=/part/two",
                "rate-limiter.routes.two.max-requests=1",
                "rate-limiter.routes.two.key=global")) {
            assertThat(get(app, "/composite").body()).isEqualTo("200 200");
            assertThat(get(app, "/composite").body()).isEqualTo("429 429");
        }
    }

    private static Answer get(TestApp app, String path) {
        return app.get(path, "Accept", "text/html", "Authorization", Secured.basic("alice", "pw"));
    }
}
