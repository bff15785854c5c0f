package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** Checked exceptions that nothing declares, as of Kotlin. Tomcat makes a declared one of them, and other servers do not. */
class UndeclaredExceptionTest {

    private static TestApp app;

    record Context(ApplicationContext application) {}

    @BeforeAll
    static void start() {
        app = TestApp.startSecured(
                Stack.SERVLET,
                List.of(Context.class),
                "rate-limiter.routes.away.paths=/away",
                "rate-limiter.routes.away.max-requests=2",
                "rate-limiter.routes.away.key=principal",
                "rate-limiter.routes.failing.paths=/failing,/answered",
                "rate-limiter.routes.failing.max-requests=2",
                "rate-limiter.routes.failing.count=failures",
                "rate-limiter.routes.failing.key=#request.path()",
                "rate-limiter.routes.task.paths=/task",
                "rate-limiter.routes.task.use-algo=concurrency",
                "rate-limiter.routes.task.max-requests=2",
                "rate-limiter.routes.task.key=global");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void ofARequestThatIsNotAuthenticatedYetCountsByAddress() throws Exception {
        fails("/away");
        fails("/away");
        assertThat(status("/away", (request, response) -> fail())).isEqualTo(429);
    }

    @Test
    void isAFailure() throws Exception {
        fails("/failing");
        fails("/failing");
        assertThat(status("/failing", (request, response) -> fail())).isEqualTo(429);
    }

    @Test
    void isAFailureWhateverAFilterAnswers() throws Exception {
        FilterChain answering = (request, response) -> assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> filter("Last").doFilter(request, response, (inner, innerResponse) -> fail()));
        assertThat(status("/answered", answering)).isEqualTo(200);
        assertThat(status("/answered", answering)).isEqualTo(200);
        assertThat(status("/answered", answering)).isEqualTo(429);
    }

    @Test
    void ofATaskEndsItsRequest() throws Exception {
        FilterChain starting = (request, response) -> assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> request.startAsync().start(UndeclaredExceptionTest::fail));
        for (int i = 0; i < 3; i++) {
            assertThat(status("/task", starting)).isEqualTo(200);
        }
    }

    private static void fails(String path) {
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> status(path, (request, response) -> fail()));
    }

    private static int status(String path, FilterChain chain) throws ServletException, IOException {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
        request.setServletPath(path);
        request.setAsyncSupported(true);
        MockHttpServletResponse response = new MockHttpServletResponse();
        filter("BeforeAuthentication").doFilter(request, response, chain);
        return response.getStatus();
    }

    private static Filter filter(String stage) {
        return app.bean(Context.class)
                .application()
                .getBean("rateLimiterRoutes" + stage, FilterRegistrationBean.class)
                .getFilter();
    }

    private static void fail() {
        UndeclaredExceptionTest.<RuntimeException>undeclared(new TimeoutException());
    }

    @SuppressWarnings("unchecked") // as Kotlin does
    private static <T extends Throwable> void undeclared(Throwable failure) throws T {
        throw (T) failure;
    }
}
