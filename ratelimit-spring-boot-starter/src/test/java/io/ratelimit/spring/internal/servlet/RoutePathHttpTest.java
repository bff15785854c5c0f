package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.web.ShopController;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What a route's path is compared with, whichever servlet answers. */
class RoutePathHttpTest {

    @Configuration(proxyBeanMethods = false)
    static class OtherServlet {

        @Bean
        ServletRegistrationBean<HttpServlet> legacy() {
            return new ServletRegistrationBean<>(
                    new HttpServlet() {
                        @Override
                        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                                throws IOException {
                            response.getWriter().write("legacy");
                        }
                    },
                    "/legacy/*");
        }
    }

    @RestController
    static class Root {

        @GetMapping
        String root() {
            return "root";
        }
    }

    @Test
    void ofAnotherServletItIsTheWholePath() {
        try (TestApp app = start("/legacy/**")) {
            assertThat(limited(app, "/legacy/foo")).isTrue();
            assertThat(limited(app, "//legacy/foo")).isTrue();
            assertThat(limited(app, "/legacy;v=1/foo")).isTrue();
        }
        try (TestApp app = start("/legacy/a/{v}/c")) {
            assertThat(app.raw("GET", "/legacy/a/./c").header("RateLimit")).isNotNull();
        }
        try (TestApp app = start("/foo/**")) {
            assertThat(limited(app, "/legacy/foo")).isFalse();
            assertThat(app.get("/%6cegacy/foo").status()).isEqualTo(200);
        }
    }

    @Test
    void ofSpringMvcItIsThatBelowItsServlet() {
        try (TestApp app = start("/plain/**", "spring.mvc.servlet.path=/app")) {
            assertThat(limited(app, "/app/plain/x")).isTrue();
        }
        try (TestApp app = start("/", "spring.mvc.servlet.path=/app")) {
            assertThat(limited(app, "/app")).isTrue();
        }
    }

    @Test
    void whoMatchesAsAntDoesGetsPastNoRoute() {
        try (TestApp app = start("/plain/x", "spring.mvc.pathmatch.matching-strategy=ant_path_matcher")) {
            for (String path : List.of("/plain/x", "//plain/x", "/plain//x", "/;a/plain/x", "/plain/;a=b/x;c")) {
                assertThat(limited(app, path)).as(path).isTrue();
            }
        }
    }

    @Test
    void aSlashInFrontMayBeLeftOut() {
        try (TestApp app = start("plain/**")) {
            assertThat(limited(app, "/plain/x")).isTrue();
        }
    }

    private static TestApp start(String path, String... more) {
        String[] properties = {
            "rate-limiter.routes.all.paths=" + path,
            "rate-limiter.routes.all.max-requests=100",
            more.length == 0 ? "rate-limiter.report-only=false" : more[0]
        };
        return TestApp.start(
                List.of(AtSettableTime.class, ShopController.class, OtherServlet.class, Root.class), properties);
    }

    /** Limited and answered: a request without an answer need not be limited. */
    private static boolean limited(TestApp app, String path) {
        var answer = app.get(path);
        assertThat(answer.status()).as(path).isEqualTo(200);
        return answer.header("RateLimit") != null;
    }
}
