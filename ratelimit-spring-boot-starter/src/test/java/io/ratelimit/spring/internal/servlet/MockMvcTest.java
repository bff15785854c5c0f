package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.options;

import io.ratelimit.spring.testing.Contexts;
import jakarta.servlet.Filter;
import java.net.URI;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.http.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.DispatcherServletAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

/** Tests of an application see with MockMvc, which has no servlets, what a server would answer. */
class MockMvcTest {

    @RestController
    static class Controller {

        @CrossOrigin
        @GetMapping("/cors/{name}")
        String cors() {
            return "called";
        }
    }

    private final WebApplicationContextRunner contexts = Contexts.web()
            .withConfiguration(AutoConfigurations.of(
                    DispatcherServletAutoConfiguration.class,
                    HttpMessageConvertersAutoConfiguration.class,
                    WebMvcAutoConfiguration.class))
            .withBean(Controller.class)
            .withPropertyValues("rate-limiter.routes.cors.paths=/cors/x", "rate-limiter.routes.cors.max-requests=3");

    @Test
    void aCorsPreflightIsNotCounted() {
        contexts.run(context -> {
            MockMvc mvc = mvc(context);
            for (int i = 0; i < 5; i++) {
                assertThat(answer(mvc, preflight("/cors/x")).getHeader("Access-Control-Allow-Origin"))
                        .isEqualTo("*");
            }
            assertThat(answer(mvc, get("/cors/x")).getHeader("X-RateLimit-Remaining"))
                    .isEqualTo("2");
            assertThat(answer(mvc, get("/cors/x")).getStatus()).isEqualTo(200);
            assertThat(answer(mvc, get("/cors/x")).getStatus()).isEqualTo(200);
            assertThat(answer(mvc, get("/cors/x")).getStatus()).isEqualTo(429);
        });
    }

    @Test
    void pathsAreMatchedAsSpringMvcMatchesThem() {
        contexts.run(context -> {
            MockMvc mvc = mvc(context);
            for (String path : new String[] {"/cors/x;v=1", "/cors;v=1/x", "/cors/%78"}) {
                assertThat(answer(mvc, get(URI.create(path))).getHeader("X-RateLimit-Remaining"))
                        .as(path)
                        .isNotNull();
            }
        });
    }

    private static MockHttpServletRequestBuilder preflight(String path) {
        return options(path).header("Origin", "https://shop.example").header("Access-Control-Request-Method", "GET");
    }

    private static MockHttpServletResponse answer(MockMvc mvc, RequestBuilder request) throws Exception {
        return mvc.perform(request).andReturn().getResponse();
    }

    /** With the filters that are registered, as Spring Boot's tests have it. */
    private static MockMvc mvc(WebApplicationContext context) {
        Filter[] filters = Stream.of("BeforeAuthentication", "AfterAuthentication", "Last")
                .map(stage -> registration(context, "rateLimiterRoutes" + stage))
                .filter(FilterRegistrationBean::isEnabled)
                .map(FilterRegistrationBean::getFilter)
                .toArray(Filter[]::new);
        return MockMvcBuilders.webAppContextSetup(context).addFilters(filters).build();
    }

    private static FilterRegistrationBean<?> registration(WebApplicationContext context, String name) {
        return context.getBean(name, FilterRegistrationBean.class);
    }
}
