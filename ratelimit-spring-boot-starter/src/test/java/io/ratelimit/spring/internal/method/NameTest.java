package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.StartFailure;
import java.time.Duration;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What inline limits are called: by where they are written, so that all instances and deployments agree. */
class NameTest {

    interface Lookup {
        @RateLimited(maxRequests = "5")
        String find(String what);
    }

    @RateLimited(maxRequests = "5")
    interface WholeLookup {
        String find(String what);
    }

    static class Base {
        @RateLimited(maxRequests = "5")
        public void call() {}
    }

    static class Derived extends Base {}

    @RateLimited(maxRequests = "4")
    static class DerivedWithItsOwn extends Base {
        public void other() {}
    }

    interface Store<T> {
        @RateLimited(maxRequests = "5")
        void save(T value);

        void save(T value, String name);
    }

    @RateLimited(maxRequests = "5")
    interface WholeStore<T> {
        void load(T value);
    }

    static class Numbers implements Store<Long>, WholeStore<Long> {
        @Override
        public void save(Long value) {}

        @Override
        public void save(Long value, String name) {}

        @Override
        public void load(Long value) {}
    }

    static class Texts implements Store<String>, WholeStore<String> {
        @Override
        public void save(String value) {}

        @Override
        public void save(String value, String name) {}

        @Override
        public void load(String value) {}
    }

    @RateLimited(maxRequests = "5")
    static class Lines implements Consumer<String>, Comparable<Lines> {
        @Override
        public void accept(String line) {}

        public void accept(String line, int number) {}

        @Override
        public int compareTo(Lines other) {
            return 0;
        }

        public int compareTo(Lines other, int places) {
            return 0;
        }
    }

    static class Named {
        @RateLimited(name = "search", maxRequests = "5")
        public void call() {}

        @RateLimited(name = "search", maxRequests = "5")
        public void alike() {}
    }

    static class NamedDifferently {
        @RateLimited(name = "search", maxRequests = "6")
        public void call() {}
    }

    static class NamedInVain {
        @RateLimited(name = "search", value = "login")
        public void call() {}
    }

    static class NamedAsConfigured {
        @RateLimited(name = "login", maxRequests = "5")
        public void call() {}
    }

    private static final String HERE = NameTest.class.getName();

    private final ApplicationContextRunner contexts = Contexts.plain()
            .withUserConfiguration(AtSettableTime.class)
            .withPropertyValues("rate-limiter.limits.login.max-requests=5");

    @Test
    void ofALambdaByItsInterface() {
        contexts.withBean(Lookup.class, () -> what -> what).run(context -> {
            context.getBean(Lookup.class).find("a");
            assertThat(remaining(context, HERE + "$Lookup.find")).isEqualTo(4);
        });
        contexts.withBean(WholeLookup.class, () -> what -> what).run(context -> {
            context.getBean(WholeLookup.class).find("a");
            assertThat(remaining(context, HERE + "$WholeLookup.find")).isEqualTo(4);
        });
    }

    @Test
    void ofAProxyByItsInterface() {
        contexts.withBean(Lookup.class, () -> ProxyFactory.getProxy(Lookup.class, (MethodInterceptor) call -> "b"))
                .run(context -> {
                    assertThat(context.getBean(Lookup.class).find("a")).isEqualTo("b");
                    assertThat(remaining(context, HERE + "$Lookup.find")).isEqualTo(4);
                });
    }

    @Test
    void ofAnInheritedMethodByTheClassThatHoldsTheAnnotation() {
        contexts.withBean(Derived.class).withBean(DerivedWithItsOwn.class).run(context -> {
            context.getBean(Derived.class).call();
            context.getBean(DerivedWithItsOwn.class).call();
            context.getBean(DerivedWithItsOwn.class).other();
            assertThat(remaining(context, HERE + "$Base.call")).isEqualTo(3);
            assertThat(remaining(context, HERE + "$DerivedWithItsOwn.other")).isEqualTo(4);
        });
    }

    @Test
    void ofImplementationsByTheMethodOfTheirGenericInterface() {
        contexts.withBean(Numbers.class).withBean(Texts.class).run(context -> {
            context.getBean(Numbers.class).save(7L);
            context.getBean(Texts.class).save("7");
            context.getBean(Numbers.class).load(7L);
            context.getBean(Texts.class).load("7");
            assertThat(remaining(context, HERE + "$Store.save(Object)")).isEqualTo(3);
            assertThat(remaining(context, HERE + "$WholeStore.load")).isEqualTo(3);
        });
    }

    @Test
    void ofAMethodThatHasABridgeByTheMethodItself() {
        contexts.withBean(Lines.class).run(context -> {
            Lines lines = context.getBean(Lines.class);
            lines.accept("a");
            lines.compareTo(new Lines());
            assertThat(remaining(context, HERE + "$Lines.accept(String)")).isEqualTo(4);
            assertThat(remaining(context, HERE + "$Lines.compareTo(Lines)")).isEqualTo(4);
        });
    }

    @Test
    void byTheirNameIfTheyHaveOne() {
        contexts.withBean(Named.class).run(context -> {
            context.getBean(Named.class).call();
            context.getBean(Named.class).alike();
            assertThat(remaining(context, "search")).isEqualTo(3);
        });
    }

    @Test
    void aRefusalHasThePublicName() {
        contexts.withBean(Derived.class).run(context -> {
            Derived derived = context.getBean(Derived.class);
            for (int i = 0; i < 5; i++) {
                derived.call();
            }
            RateLimitExceededException refusal = catchThrowableOfType(RateLimitExceededException.class, derived::call);
            assertThat(refusal).hasMessageContaining("limit 'Base.call'");
        });
    }

    @Test
    void aNameThatMeansTwoLimitsEndsTheStart() {
        contexts.withBean(Named.class)
                .withBean(NamedDifferently.class)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("name 'search' is that of another annotation's limit with other numbers"));
        contexts.withBean(NamedAsConfigured.class)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("name 'login' is that of a configured limit"));
    }

    @Test
    void aNameOfNothingEndsTheStart() {
        contexts.withBean(NamedInVain.class)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("name 'search' is for a limit of the annotation's own: set maxRequests"));
    }

    private static long remaining(ApplicationContext context, String name) {
        Limit limit = Limit.of(name, Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofSeconds(60));
        return context.getBean(RateLimiter.class)
                .peek(Acquisition.of(limit, "global"))
                .remaining();
    }
}
