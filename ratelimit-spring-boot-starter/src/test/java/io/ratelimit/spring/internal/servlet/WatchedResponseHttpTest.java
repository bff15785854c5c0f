package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Filters in front add headers when the application sends its response; filters behind set some in place of others. */
class WatchedResponseHttpTest {

    private static final String EXPOSED = "Access-Control-Expose-Headers";

    private static TestApp app;

    @RestController
    static class Pages {

        @GetMapping("/page")
        void page(HttpServletResponse response) throws IOException {
            response.getWriter().print("page");
            response.getWriter().flush();
        }
    }

    /** As the responses of Spring Security and Spring Session do. */
    private static final class AddingOnFlush extends HttpServletResponseWrapper {

        AddingOnFlush(HttpServletResponse response) {
            super(response);
        }

        @Override
        public PrintWriter getWriter() throws IOException {
            PrintWriter target = super.getWriter();
            return new PrintWriter(target) {
                @Override
                public void flush() {
                    setHeader("Set-Cookie", "SESSION=1");
                    super.flush();
                }

                @Override
                public boolean checkError() {
                    return target.checkError();
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Filters {

        @Bean
        FilterRegistrationBean<Filter> inFront() {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) ->
                    chain.doFilter(request, new AddingOnFlush((HttpServletResponse) response)));
            filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return filter;
        }

        @Bean
        FilterRegistrationBean<Filter> behind() {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) -> {
                ((HttpServletResponse) response).setHeader(EXPOSED, "X-Own");
                chain.doFilter(request, response);
            });
            filter.setOrder(Ordered.LOWEST_PRECEDENCE);
            return filter;
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.start(
                List.of(Pages.class, Filters.class),
                "rate-limiter.key=global",
                "rate-limiter.limits.slots.use-algo=concurrency",
                "rate-limiter.limits.slots.max-requests=10",
                "rate-limiter.routes.page.paths=/page",
                "rate-limiter.routes.page.limits=slots");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void whatIsAddedWhenAWriterIsFlushedIsSent() {
        Answer page = app.get("/page");
        assertThat(page.body()).isEqualTo("page");
        assertThat(page.header("Set-Cookie")).isEqualTo("SESSION=1");
    }

    @Test
    void whatIsExposedToOtherOriginsStaysSo() {
        List<String> exposed =
                app.raw("GET", "/page", "Origin", "https://a.example").headers().allValues(EXPOSED);
        assertThat(String.join(",", exposed).split(",\\s*"))
                .contains("X-Own", "X-RateLimit-Remaining")
                .doesNotHaveDuplicates();
    }

    @Test
    void toTheSameOriginNothingIsExposedBesides() {
        assertThat(app.get("/page").headers().allValues(EXPOSED)).containsExactly("X-Own");
    }
}
