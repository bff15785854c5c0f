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
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;
import org.springframework.retry.interceptor.RetryInterceptorBuilder;

/** Methods that spring-retry repeats, wherever its advice stands among others. */
class RetriedMethodTest {

    static class Partner {
        private int runs;

        @RateLimited(value = "partner", key = "global")
        public void call() {
            if (++runs < 3) {
                throw new IllegalStateException("again");
            }
        }

        public int runs() {
            return runs;
        }
    }

    static class Annotated extends Partner {

        @Override
        @Retryable(maxAttempts = 3)
        @RateLimited(value = "partner", key = "global")
        public void call() {
            super.call();
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
                    AnnotationMatchingPointcut.forMethodAnnotation(RateLimited.class),
                    RetryInterceptorBuilder.stateless().maxAttempts(3).build());
            advisor.setOrder(environment.getRequiredProperty("retry-order", Integer.class));
            return advisor;
        }
    }

    @EnableRetry
    @Configuration(proxyBeanMethods = false)
    static class RetriedByAnnotation {

        @Bean
        Partner partner() {
            return new Annotated();
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
        check(Retried.class, charged, "rate-limiter.order=" + order, "retry-order=" + retryOrder);
    }

    @ParameterizedTest
    @CsvSource({"1000, 1", "2147483646, 1", "2147483647, 3"})
    void soItIsWithTheAnnotation(int order, int charged) {
        check(RetriedByAnnotation.class, charged, "rate-limiter.order=" + order);
    }

    private static void check(Class<?> configuration, int charged, String... properties) {
        Contexts.plain()
                .withUserConfiguration(configuration)
                .withPropertyValues("rate-limiter.limits.partner.max-requests=9")
                .withPropertyValues(properties)
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
