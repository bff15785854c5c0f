package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.testing.Contexts;
import jakarta.servlet.Filter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;

class FilterRegistrationTest {

    private static final String BEFORE = "rateLimiterRoutesBeforeAuthentication";
    private static final String AFTER = "rateLimiterRoutesAfterAuthentication";
    private static final String LAST = "rateLimiterRoutesLast";

    private final WebApplicationContextRunner routed = Contexts.web()
            .withPropertyValues(
                    "rate-limiter.max-requests=5",
                    "rate-limiter.routes.early.paths=/early",
                    "rate-limiter.routes.early.limits=default",
                    "rate-limiter.routes.early.key=ip",
                    "rate-limiter.routes.late.paths=/late",
                    "rate-limiter.routes.late.limits=default");

    @Test
    void withoutRoutesNoFilterIsRegistered() {
        Contexts.web().withPropertyValues("rate-limiter.max-requests=5").run(context -> {
            assertThat(context).doesNotHaveBean(FilterRegistrationBean.class);
            assertThat(context).doesNotHaveBean(Filter.class);
            assertThat(context).doesNotHaveBean(Routes.class);
        });
    }

    @Test
    void withoutSpringSecurityThereIsOneFilterInFrontAndOneForRewrittenPaths() {
        routed.run(context -> {
            assertThat(registration(context, BEFORE).isEnabled()).isTrue();
            assertThat(registration(context, BEFORE).getOrder()).isEqualTo(-101);
            assertThat(registration(context, AFTER).isEnabled()).isFalse();
            assertThat(registration(context, LAST).isEnabled()).isTrue();
            assertThat(registration(context, LAST).getOrder()).isEqualTo(Ordered.LOWEST_PRECEDENCE);
        });
    }

    @Test
    void withSpringSecurityThereIsOneOnEitherSideOfIt() {
        routed.withBean("springSecurityFilterChain", Object.class, Object::new)
                .withPropertyValues("spring.security.filter.order=50")
                .run(context -> {
                    assertThat(List.of(registration(context, BEFORE), registration(context, AFTER)))
                            .allMatch(FilterRegistrationBean::isEnabled)
                            .extracting(FilterRegistrationBean::getOrder)
                            .containsExactly(49, 51);
                });
    }

    @ParameterizedTest
    @ValueSource(ints = {Ordered.HIGHEST_PRECEDENCE, Ordered.LOWEST_PRECEDENCE})
    void anOrderOfSpringSecurityThatLeavesNoPlaceStopsTheStart(int order) {
        routed.withBean("springSecurityFilterChain", Object.class, Object::new)
                .withPropertyValues("spring.security.filter.order=" + order)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("spring.security.filter.order")
                        .hasMessageContaining("'" + order + "'"));
    }

    @Test
    void outsideAServletApplicationThereIsNone() {
        Contexts.plain()
                .withPropertyValues(
                        "rate-limiter.max-requests=5",
                        "rate-limiter.routes.early.paths=/early",
                        "rate-limiter.routes.early.limits=default")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(FilterRegistrationBean.class));
    }

    private static FilterRegistrationBean<?> registration(ApplicationContext context, String name) {
        return context.getBean(name, FilterRegistrationBean.class);
    }
}
