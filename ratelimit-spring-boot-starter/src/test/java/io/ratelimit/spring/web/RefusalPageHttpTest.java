package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.web.servlet.error.ErrorViewResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
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

        @GetMapping({"/plain/ok", "/other/ok"})
        String ok() {
            return "ok";
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

    private static Answer get(TestApp app, String path) {
        return app.get(path, "Accept", "text/html", "Authorization", Secured.basic("alice", "pw"));
    }
}
