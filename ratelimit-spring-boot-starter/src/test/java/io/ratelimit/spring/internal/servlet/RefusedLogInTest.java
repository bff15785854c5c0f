package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockHttpSession;

/** Log-ins that succeed and are refused, with a session that cannot be ended. */
class RefusedLogInTest {

    private static TestApp app;

    private final MockHttpServletResponse response = new MockHttpServletResponse();

    record Context(ApplicationContext application) {}

    @BeforeAll
    static void start() {
        app = TestApp.startSecured(
                Stack.SERVLET,
                List.of(Context.class),
                "rate-limiter.routes.login.paths=/login",
                "rate-limiter.routes.login.max-requests=1",
                "rate-limiter.routes.login.window-size=1d");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @BeforeEach
    void useUpTheLimit() throws Exception {
        logIn(new MockHttpSession(), new MockHttpServletResponse());
    }

    @Test
    void getsTheRefusalIfAnotherRequestHasEndedItsSession() throws Exception {
        logIn(new Failing(new IllegalStateException("ended already")), response);

        assertThat(response.getStatus()).isEqualTo(429);
        assertThat(response.getHeader("Location")).isNull();
        assertThat(response.getCookies()).isEmpty();
    }

    @Test
    void getsNothingOfTheLogInIfTheStoreOfSessionsFails() {
        RuntimeException ofStore = new UnsupportedOperationException("no connection");
        assertThatThrownBy(() -> logIn(new Failing(ofStore), response)).isSameAs(ofStore);

        assertThat(response.getHeader("Location")).isNull();
        assertThat(response.getCookies()).isEmpty();
    }

    private static final class Failing extends MockHttpSession {

        private final RuntimeException failure;

        Failing(RuntimeException failure) {
            this.failure = failure;
        }

        @Override
        public void invalidate() {
            throw failure;
        }
    }

    private static void logIn(MockHttpSession begun, MockHttpServletResponse response)
            throws ServletException, IOException {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/login");
        request.setServletPath("/login");
        limiter().doFilter(request, response, (in, out) -> {
            request.setSession(begun);
            HttpServletResponse answer = (HttpServletResponse) out;
            answer.addCookie(new Cookie("remember-me", "alice"));
            answer.sendRedirect("/");
        });
    }

    private static Filter limiter() {
        return app.bean(Context.class)
                .application()
                .getBean("rateLimiterRoutesBeforeAuthentication", FilterRegistrationBean.class)
                .getFilter();
    }
}
