package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.operate.RateLimiterMetrics;
import io.ratelimit.spring.internal.operate.RateLimitsEndpoint;
import io.ratelimit.spring.testing.Contexts;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;

class BackOffTest {

    private static final WebApplicationContextRunner ROUTED = Contexts.web()
            .withPropertyValues(
                    "rate-limiter.max-requests=5",
                    "rate-limiter.routes.api.paths=/api/**",
                    "rate-limiter.routes.api.limits=default");

    @ParameterizedTest
    @MethodSource("beans")
    <T> void backsOffForAnApplicationsOwn(Class<T> type, Supplier<T> bean) {
        T own = bean.get();
        Contexts.web()
                .withPropertyValues(
                        "rate-limiter.max-requests=5",
                        "rate-limiter.routes.api.paths=/api/**",
                        "rate-limiter.routes.api.limits=default")
                .withBean("own", type, () -> own)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBeansOfType(type)).hasSize(1).containsValue(own);
                });
    }

    @ParameterizedTest
    @ValueSource(classes = {Supplier.class, Function.class, Consumer.class})
    void noBeanIsAFunctionOfSpringCloud(Class<?> type) {
        ROUTED.run(context -> assertThat(context.getBeanNamesForType(type)).isEmpty());
    }

    static Stream<Arguments> beans() {
        return Stream.of(
                bean(
                        Limits.class,
                        () -> new Limits(
                                List.of(Limit.of("default", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1))))),
                bean(RateLimiter.class, InMemoryRateLimiter::create),
                bean(CurrentRequest.class, CurrentRequest::none));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rateLimiter",
                "rateLimitFilter",
                "authenticatedRateLimitFilter",
                "rateLimitHeaders",
                "rateLimiterFilter",
                "rateLimiterHeaders",
                "rateLimiterExceptionResolver",
                "rateLimiterRegistry",
                "rateLimiterAspect",
                "rateLimiterAdvisor",
                "rateLimiterConfig",
                "rateLimiterDiagnostics",
                "rateLimiterEndpoint",
                "rateLimiterExpressions",
                "rateLimiterLimits",
                "rateLimiterMetrics",
                "rateLimiterProperties",
                "rateLimiterRoutes",
                "rateLimiterService",
                "rateLimiterStack",
                "rateLimiterStore"
            })
    void beansOfTheApplicationMayBeNamedLikeAnything(String name) {
        ROUTED.withConfiguration(AutoConfigurations.of(EndpointRateLimiterAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .withBean(name, String.class, () -> "of another type")
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(RateLimiter.class)
                            .hasSingleBean(RateLimitsEndpoint.class)
                            .hasSingleBean(RateLimiterMetrics.class);
                    assertThat(context.getBeanNamesForType(FilterRegistrationBean.class))
                            .hasSize(3);
                });
    }

    private static <T> Arguments bean(Class<T> type, Supplier<T> bean) {
        return arguments(type, bean);
    }
}
