package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.aop.LimitedMethodRegistry;
import io.ratelimit.spring.aop.RateLimitedAdvisor;
import io.ratelimit.spring.http.HeaderFamily;
import io.ratelimit.spring.http.RateLimitHeaders;
import io.ratelimit.spring.key.ClientAddresses;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.key.SubjectKeyParser;
import io.ratelimit.spring.route.ManagementPaths;
import io.ratelimit.spring.route.Routes;
import io.ratelimit.spring.servlet.RateLimitExceptionResolver;
import io.ratelimit.spring.servlet.RefusalWriter;
import io.ratelimit.spring.testing.Contexts;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.filter.CharacterEncodingFilter;

class BackOffTest {

    private static final Expressions EXPRESSIONS = new Expressions(new DefaultListableBeanFactory());

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

    static Stream<Arguments> beans() {
        return Stream.of(
                bean(
                        Limits.class,
                        () -> new Limits(
                                List.of(Limit.of("default", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1))))),
                bean(RateLimiter.class, InMemoryRateLimiter::create),
                bean(RateLimitHeaders.class, () -> new RateLimitHeaders(List.of(HeaderFamily.NONE))),
                bean(ClientAddresses.class, () -> new ClientAddresses(List.of())),
                bean(Expressions.class, () -> EXPRESSIONS),
                bean(SubjectKeyParser.class, () -> new SubjectKeyParser(new DefaultListableBeanFactory(), EXPRESSIONS)),
                bean(CurrentRequest.class, CurrentRequest::none),
                bean(Routes.class, () -> new Routes(List.of(), () -> ManagementPaths.NONE)),
                bean(
                        RateLimitExceptionResolver.class,
                        () -> new RateLimitExceptionResolver(
                                new GenericWebApplicationContext(new MockServletContext()), new RefusalWriter())),
                bean(RefusalWriter.class, RefusalWriter::new),
                bean(
                        RateLimitedAdvisor.class,
                        () -> new RateLimitedAdvisor(
                                new LimitedMethodRegistry(() -> null),
                                InMemoryRateLimiter::create,
                                () -> EXPRESSIONS,
                                CurrentRequest::none)));
    }

    @Test
    void backsOffForAnApplicationsOwnFilterRegistration() {
        FilterRegistrationBean<CharacterEncodingFilter> own =
                new FilterRegistrationBean<>(new CharacterEncodingFilter());
        Contexts.web()
                .withPropertyValues(
                        "rate-limiter.max-requests=5",
                        "rate-limiter.routes.api.paths=/api/**",
                        "rate-limiter.routes.api.limits=default")
                .withBean("rateLimitFilter", FilterRegistrationBean.class, () -> own)
                .run(context -> assertThat(context.getBean("rateLimitFilter")).isSameAs(own));
    }

    private static <T> Arguments bean(Class<T> type, Supplier<T> bean) {
        return arguments(type, bean);
    }
}
