package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.retry.interceptor.ThriceInterceptor;

/** Methods that advice of spring-retry repeats, wherever that stands among other advice. */
class RetriedMethodTest {

    static class Partner {
        private int runs;

        @RateLimited(value = "partner", key = "global")
        public void call() {
            runs++;
        }

        public int runs() {
            return runs;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Retried {

        @Bean
        Partner partner() {
            return new Partner();
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor retry(Environment environment) {
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                    AnnotationMatchingPointcut.forMethodAnnotation(RateLimited.class), new ThriceInterceptor());
            advisor.setOrder(environment.getRequiredProperty("retry-order", Integer.class));
            return advisor;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1000, 0, 1",
        "1000, 2147483647, 1",
        "2000, 500, 1",
        "2147483646, 0, 1",
        "2147483647, 0, 3",
        "2147483647, 2147483647, 3",
        "2147483647, 1000, 3"
    })
    void eachAttemptIsChargedWhereTheLimitsComeLast(int order, int retryOrder, int charged) {
        assertThat(Ordered.LOWEST_PRECEDENCE).isEqualTo(2147483647);
        Contexts.plain()
                .withUserConfiguration(Retried.class)
                .withPropertyValues(
                        "rate-limiter.limits.partner.max-requests=9",
                        "rate-limiter.order=" + order,
                        "retry-order=" + retryOrder)
                .run(context -> {
                    context.getBean(Partner.class).call();

                    assertThat(context.getBean(Partner.class).runs()).isEqualTo(3);
                    assertThat(context.getBean(RateLimiter.class)
                                    .peek(Acquisition.of(
                                            context.getBean(Limits.class).get("partner"), "global"))
                                    .remaining())
                            .isEqualTo(9 - charged);
                });
    }
}
