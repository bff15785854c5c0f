package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** A bean that is made when it is used is not made at all if its limits would take no effect. */
class LateBeansTest {

    @Lazy
    static class HandedOverLater {
        @Async
        @RateLimited(maxRequests = "1", count = "failures", key = "global")
        public void call() {}
    }

    @Scope("prototype")
    static class HandedOverEach {
        @Async
        @RateLimited(maxRequests = "1", algorithm = "concurrency", key = "global")
        public void call() {}
    }

    @Lazy
    @Aspect
    static class LazyAspect {
        @RateLimited(maxRequests = "1", key = "global")
        public void call() {}
    }

    @Lazy
    static class Limited {
        @RateLimited(maxRequests = "1", key = "global")
        public void call() {}
    }

    @EnableAsync
    @Import({HandedOverLater.class, HandedOverEach.class, LazyAspect.class, Limited.class})
    static class LateBeans {}

    @ParameterizedTest
    @ValueSource(classes = {HandedOverLater.class, HandedOverEach.class})
    void oneThatIsHandedOverIsNotMadeIfItsEndCounts(Class<?> type) {
        Contexts.plain().withUserConfiguration(LateBeans.class).run(context -> {
            assertThat(context).hasNotFailed();
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(() -> context.getBean(type)).hasMessageContaining("RL-307");
            }
        });
    }

    @Test
    void oneThatSpringNeverWrapsIsNotMade() {
        Contexts.plain()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withUserConfiguration(LateBeans.class)
                .run(context -> assertThatThrownBy(() -> context.getBean(LazyAspect.class))
                        .hasMessageContaining("RL-305"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void anotherIsLimited(String lazy) {
        Contexts.plain()
                .withUserConfiguration(LateBeans.class)
                .withPropertyValues("spring.main.lazy-initialization=" + lazy)
                .run(context -> {
                    context.getBean(Limited.class).call();
                    assertThatThrownBy(() -> context.getBean(Limited.class).call())
                            .isInstanceOf(RateLimitExceededException.class);
                });
    }
}
