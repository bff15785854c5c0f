package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.internal.method.RateLimitedAdvisor;
import io.ratelimit.spring.internal.redis.RedisStore;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.stack.RateLimiterStack;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.web.servlet.FilterRegistrationBean;

class DisabledTest {

    static class Service {
        @RateLimited(value = "not there", cost = "0")
        public String call() {
            return "called";
        }
    }

    static class InCode {
        @Autowired
        RateLimiter limiter;

        @Autowired
        RateLimiterStack stack;

        @Autowired
        Limits limits;

        @Autowired
        @Qualifier("default")
        Limit limit;

        @Autowired
        CurrentRequest request;
    }

    @Test
    void whatApplicationsInjectAdmitsEverythingAndNothingElseIsThere() {
        Contexts.web()
                .withPropertyValues(
                        "rate-limiter.enabled=false",
                        "rate-limiter.max-requests=1",
                        "rate-limiter.store=redis",
                        "rate-limiter.routes.api.paths=/api/**",
                        "rate-limiter.routes.api.limits=default")
                .withBean(InCode.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    InCode code = context.getBean(InCode.class);
                    assertThat(code.limits.get("default")).isEqualTo(code.limit);
                    for (int i = 0; i < 3; i++) {
                        assertThat(code.limiter
                                        .acquire(Acquisition.of(code.limit, "alice"))
                                        .allowed())
                                .isTrue();
                    }
                    assertThat(code.stack).isSameAs(code.limiter);
                    code.stack.acquireAsync(Acquisition.of(code.limit, "alice")).thenAccept(decision -> {
                        code.stack.refund(Acquisition.of(code.limit, "alice"), decision);
                    });
                    code.stack.reset(code.limit, "alice");
                    assertThat(context).doesNotHaveBean(FilterRegistrationBean.class);
                    assertThat(context).doesNotHaveBean(RedisStore.class);
                    assertThat(context).doesNotHaveBean(RateLimitedAdvisor.class);
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
