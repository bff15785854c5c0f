package io.ratelimit.spring.internal.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.web.ShopController;
import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.filter.reactive.UrlHandlerFilter;
import org.springframework.web.reactive.config.ResourceHandlerRegistry;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.server.WebFilter;

/** Paths as WebFlux and Netty take them, which differ from what Spring MVC and Tomcat make of them. */
class WebFluxOnlyHttpTest {

    private static final String FILE = "org.springframework.boot.autoconfigure.AutoConfiguration.imports";

    private static TestApp app;

    @Configuration(proxyBeanMethods = false)
    static class Files implements WebFluxConfigurer {
        @Override
        public void addResourceHandlers(ResourceHandlerRegistry registry) {
            registry.addResourceHandler("/**").addResourceLocations("classpath:/META-INF/spring/");
        }

        @Bean
        UrlHandlerFilter withoutSlash() {
            return UrlHandlerFilter.trailingSlashHandler("/api/**")
                    .mutateRequest()
                    .build();
        }

        @Bean
        WebFilter contextPath() {
            return (exchange, chain) -> chain.filter(
                    exchange.getRequest().getPath().value().startsWith("/base/")
                            ? exchange.mutate()
                                    .request(request -> request.contextPath("/base"))
                                    .build()
                            : exchange);
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.start(
                Stack.REACTIVE,
                List.of(AtSettableTime.class, ShopController.class, Files.class),
                "management.server.port=0",
                "management.health.redis.enabled=false",
                "rate-limiter.routes.some.paths=/plain/x,/api/x,/" + FILE,
                "rate-limiter.routes.some.max-requests=1000",
                "rate-limiter.routes.param.paths=/plain/param",
                "rate-limiter.routes.param.max-requests=2",
                "rate-limiter.routes.param.key=param:user",
                "rate-limiter.routes.health.paths=/actuator/**",
                "rate-limiter.routes.health.max-requests=1000");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/org.", "/./org.", "/%2e/org.", "/%6frg.", "//org.", "/x/../org.", "/;a/org."})
    void aFileIsLimitedHoweverItIsReached(String path) {
        Answer answer = app.raw("GET", path + FILE.substring("org.".length()));
        assertThat(answer.status() != 200 || answer.header("RateLimit") != null)
                .as("%s", answer)
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "//", "/./", "/x/../", "%2f"})
    void aFileIsLimitedWithASlashBehindIt(String slash) {
        Answer answer = app.raw("GET", "/" + FILE + slash);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("RateLimit")).isNotNull();
    }

    @Test
    void aParameterIsTheOneThatTheApplicationReads() {
        Answer first = app.raw("GET", "/plain/param?=user=alice&user=1");
        Answer second = app.raw("GET", "/plain/param?=user=alice&user=2");

        assertThat(first.header("RateLimit")).startsWith("\"param\";r=1;");
        assertThat(second.header("RateLimit")).startsWith("\"param\";r=0;");
    }

    @Test
    void aPreflightIsAnswered() {
        Answer answer =
                app.raw("OPTIONS", "/plain/x", "Origin", "https://a.example", "Access-Control-Request-Method", "GET");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("RateLimit")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/plain/x",
                "/plain;v=1/x",
                "/plain/x;v=1",
                "/plain/%78",
                "/plain/x?a=b",
                "/api/x/",
                "/base/plain/x"
            })
    void aControllerIsLimitedHoweverItIsReached(String path) {
        Answer answer = app.raw("GET", path);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("RateLimit")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plain/x/", "/Plain/x", "/plain/X", "/plain/y"})
    void whatTheApplicationDoesNotTakeForThePathIsNotLimited(String path) {
        assertThat(app.raw("GET", path).header("RateLimit")).isNull();
    }

    /** The management context has the application's filters, too. */
    @Test
    void theManagementPortIsNotTheApplications() {
        Answer health =
                Http.send("GET", "http://localhost:" + app.property("local.management.port") + "/actuator/health");
        assertThat(health.status()).isEqualTo(200);
        assertThat(health.header("RateLimit")).isNull();
    }
}
