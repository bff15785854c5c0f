package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.web.Secured;
import io.ratelimit.spring.web.ShopController;
import io.ratelimit.testing.Http.Answer;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** Nobody spends another's quota by choosing a value, and nobody starts anew by choosing another one. */
class WhoPaysHttpTest {

    private static TestApp app;

    @Configuration(proxyBeanMethods = false)
    static class Keys {

        @Bean
        KeyResolver lambda() {
            return request ->
                    request.principal() == null ? null : request.principal().getName();
        }

        @Bean
        KeyResolver unchecked() {
            return request -> request.principal().getName();
        }

        @Bean
        Tenants tenants() {
            return new Tenants();
        }

        /** As a connection whose peer has gone looks like. */
        @Bean
        FilterRegistrationBean<Filter> addressless() {
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) ->
                    chain.doFilter(withoutAddress((HttpServletRequest) request), response));
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return registration;
        }

        private static HttpServletRequest withoutAddress(HttpServletRequest request) {
            return request.getHeader("X-Gone") == null
                    ? request
                    : new HttpServletRequestWrapper(request) {
                        @Override
                        public String getRemoteAddr() {
                            return null;
                        }
                    };
        }
    }

    static final class Tenants {
        public String of(RequestView request) {
            return request.principal().getName();
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.startSecured(
                List.of(AtSettableTime.class, Secured.by(Stack.SERVLET), Keys.class, ShopController.class),
                "rate-limiter.limits.shared.max-requests=2",
                "rate-limiter.routes.keyed.paths=/two/open",
                "rate-limiter.routes.keyed.limits=shared",
                "rate-limiter.routes.keyed.key=header:X-Api-Key",
                "rate-limiter.routes.mine.paths=/plain/mine",
                "rate-limiter.routes.mine.limits=shared",
                "rate-limiter.routes.mine.key=principal",
                "rate-limiter.routes.param.paths=/two/param",
                "rate-limiter.routes.param.max-requests=2",
                "rate-limiter.routes.param.key=param:username",
                "rate-limiter.routes.gone.paths=/two/gone",
                "rate-limiter.routes.gone.max-requests=2",
                "rate-limiter.routes.gone.key=ip",
                "rate-limiter.routes.lambda.paths=/plain/lambda",
                "rate-limiter.routes.lambda.max-requests=1",
                "rate-limiter.routes.lambda.key=lambda",
                "rate-limiter.routes.unchecked.paths=/plain/unchecked",
                "rate-limiter.routes.unchecked.max-requests=1",
                "rate-limiter.routes.unchecked.key=unchecked",
                "rate-limiter.routes.expression.paths=/plain/expression",
                "rate-limiter.routes.expression.max-requests=1",
                "rate-limiter.routes.expression.key=@tenants.of(#request)");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void aHeaderWithSomebodysNameSpendsNothingOfTheirs() {
        for (int i = 0; i < 5; i++) {
            app.get("/two/open", "X-Api-Key", "alice");
        }

        assertThat(app.get("/two/open", "X-Api-Key", "alice").status()).isEqualTo(429);
        assertThat(as("alice", "/plain/mine").header("RateLimit")).startsWith("\"shared\";r=1");
    }

    @Test
    void aBrokenParameterIsPassedOverAsTheApplicationPassesItOver() {
        for (int i = 0; i < 2; i++) {
            assertThat(param("%zz" + i).status()).isEqualTo(200);
        }

        assertThat(param("%zz9").status()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plain/lambda", "/plain/unchecked", "/plain/expression"})
    void whateverAsksForThePrincipalIsDecidedWhenItIsKnown(String path) {
        assertThat(as("alice", path).status()).isEqualTo(200);
        assertThat(as("bob", path).status()).isEqualTo(200);
        assertThat(as("alice", path).status()).isEqualTo(429);
    }

    /** Servers read it when a parameter is asked for, whatever the method. Tomcat asks for it by a 100 in any case. */
    @Test
    void theBodyOfAMultipartFormIsNotWaitedFor() {
        String path = "/two/param?username=mary";
        app.get(path);
        app.get(path);

        Answer first = app.raw(
                "GET",
                path,
                "Content-Type",
                "multipart/form-data; boundary=x",
                "Content-Length",
                "9",
                "Expect",
                "100-continue");

        assertThat(first.status()).isEqualTo(100);
        assertThat(first.body()).startsWith("HTTP/1.1 429");
    }

    @Test
    void aRequestWithoutAnAddressSharesOneBucketWithItsLike() {
        assertThat(app.get("/two/gone", "X-Gone", "yes").status()).isEqualTo(200);
        assertThat(app.get("/two/gone", "X-Gone", "yes").status()).isEqualTo(200);
        assertThat(app.get("/two/gone", "X-Gone", "yes").status()).isEqualTo(429);
        assertThat(app.get("/two/gone").status()).isEqualTo(200);
    }

    private static Answer param(String broken) {
        return app.raw("GET", "/two/param?username=" + broken + "&username=alice");
    }

    private static Answer as(String user, String path) {
        String basic = Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
        return app.get(path, "Authorization", "Basic " + basic);
    }
}
