package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.StartFailure;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
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

    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped {
        @RateLimited(maxRequests = "1", key = "global")
        public void call() {}
    }

    @Lazy
    @ComponentScan(
            useDefaultFilters = false,
            includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Scoped.class))
    static class InAScope {}

    interface Quotes {
        @RateLimited(maxRequests = "1", key = "global")
        void call();
    }

    @Configuration(proxyBeanMethods = false)
    static class ByInterface {

        @Bean
        @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.INTERFACES)
        Quotes quotes() {
            return () -> {};
        }
    }

    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class HandedOverScoped {
        @Async
        @RateLimited(maxRequests = "1", algorithm = "concurrency", key = "global")
        public void call() {}
    }

    @ComponentScan(
            useDefaultFilters = false,
            includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = HandedOverScoped.class))
    static class HandedOverInAScope {}

    @Lazy
    static class NeedsItself {
        @Autowired
        NeedsItself self;

        @RateLimited(maxRequests = "1", key = "global")
        public void call() {}
    }

    @EnableAsync
    @Import({HandedOverLater.class, HandedOverEach.class, Limited.class})
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
    void oneThatSpringNeverWrapsEndsTheStart() {
        Contexts.plain()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withBean(LazyAspect.class)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("RL-305: @RateLimited on " + LazyAspect.class.getName()));
    }

    /** The proxy of its scope is not limited, but the bean behind that. */
    @Test
    void oneOfAScopeIsLimited() {
        Contexts.plain().withUserConfiguration(InAScope.class).run(context -> {
            ObjectProvider<Scoped> provider = context.getBeanProvider(Scoped.class);
            provider.getObject().call();
            assertThatThrownBy(() -> provider.getObject().call()).isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void oneOfAScopeThatIsHandedOverIsNotMadeIfItsEndCounts() {
        Contexts.plain()
                .withUserConfiguration(LateBeans.class, HandedOverInAScope.class)
                .run(context -> {
                    ObjectProvider<HandedOverScoped> provider = context.getBeanProvider(HandedOverScoped.class);
                    assertThatThrownBy(() -> provider.getObject().call()).hasMessageContaining("RL-307");
                });
    }

    @Test
    void oneThatNeedsItselfIsLimited() {
        Contexts.plain()
                .withAllowCircularReferences(true)
                .withBean(NeedsItself.class)
                .withPropertyValues("spring.main.lazy-initialization=true")
                .run(context -> {
                    context.getBean(NeedsItself.class).call();
                    assertThatThrownBy(() -> context.getBean(NeedsItself.class).call())
                            .isInstanceOf(RateLimitExceededException.class);
                });
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

    @Test
    void theProxyOfAScopeByInterfacesIsNoBeanOfItsOwn() {
        Contexts.plain()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withUserConfiguration(ByInterface.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(Quotes.class).call();
                    assertThatThrownBy(() -> context.getBean(Quotes.class).call())
                            .isInstanceOf(RateLimitExceededException.class);
                });
    }
}
