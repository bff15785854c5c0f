package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.web.servlet.FilterRegistrationBean;

class DisabledTest {

    static class Service {
        @RateLimited(value = "not there", cost = "0")
        public String call() {
            return "called";
        }
    }

    @Test
    void registersNothingWhenDisabled() {
        Contexts.web()
                .withPropertyValues(
                        "rate-limiter.enabled=false",
                        "rate-limiter.max-requests=5",
                        "rate-limiter.store=redis",
                        "rate-limiter.routes.api.paths=/api/**",
                        "rate-limiter.routes.api.limits=default")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context).doesNotHaveBean(RateLimiter.class);
                    assertThat(context).doesNotHaveBean(Limit.class);
                    assertThat(context).doesNotHaveBean(FilterRegistrationBean.class);
                    assertThat(Arrays.stream(context.getBeanDefinitionNames())
                                    .map(context::getType)
                                    .filter(type ->
                                            type != null && type.getName().startsWith("io.ratelimit")))
                            .isEmpty();
                });
    }

    @Test
    void leavesAnnotationsInertWhenDisabled() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.enabled=false")
                .withBean(Service.class)
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    assertThat(AopUtils.isAopProxy(service)).isFalse();
                    assertThat(service.call()).isEqualTo("called");
                });
    }
}
