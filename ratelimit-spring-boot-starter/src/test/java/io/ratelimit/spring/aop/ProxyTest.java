package io.ratelimit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import java.util.ArrayList;
import java.util.List;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Whatever makes the proxies. */
class ProxyTest {

    public interface Caller {
        String call();
    }

    public static class Service implements Caller {
        @Override
        @RateLimited(maxRequests = "1")
        public String call() {
            return "called";
        }
    }

    static class Plain {
        public void call() {}
    }

    @Aspect
    static class Witness {
        final List<String> seen = new ArrayList<>();

        @Before("execution(* io.ratelimit.spring.aop.ProxyTest.Service.call())")
        public void see() {
            seen.add("call");
        }
    }

    private final ApplicationContextRunner contexts = Contexts.plain()
            .withUserConfiguration(AtSettableTime.class)
            .withBean(Service.class)
            .withBean(Plain.class);

    @Test
    void limitsWithoutAnyOtherAop() {
        limits(contexts);
    }

    @Test
    void limitsWithoutAspectj() {
        limits(contexts.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("org.aspectj")));
    }

    @Test
    void limitsBesideAspectsAndBeforeThem() {
        limits(contexts.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class)));
        contexts.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withBean(Witness.class)
                .run(context -> {
                    Caller caller = context.getBean(Caller.class);
                    caller.call();
                    assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(caller::call);
                    assertThat(context.getBean(Witness.class).seen).hasSize(1);
                });
    }

    @Test
    void limitsWithAopSwitchedOff() {
        limits(contexts.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withPropertyValues("spring.aop.auto=false"));
    }

    @Test
    void limitsThroughInterfaceProxies() {
        contexts.withPropertyValues("spring.aop.proxy-target-class=false").run(context -> {
            Caller caller = context.getBean(Caller.class);
            assertThat(AopUtils.isJdkDynamicProxy(caller)).isTrue();
            caller.call();
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(caller::call);
        });
    }

    @Test
    void leavesBeansWithoutTheAnnotationAlone() {
        contexts.run(context ->
                assertThat(AopUtils.isAopProxy(context.getBean(Plain.class))).isFalse());
    }

    private static void limits(ApplicationContextRunner contexts) {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(service.call()).isEqualTo("called");
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::call);
        });
    }
}
