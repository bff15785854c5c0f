package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

/** Where the annotation may stand. */
class PlacementTest {

    @RateLimited(maxRequests = "1")
    static class OnClass {
        public void one() {}

        public void other() {}

        @RateLimited(maxRequests = "2")
        public void twice() {}

        void notPublic() {}
    }

    interface OnInterface {
        @RateLimited(maxRequests = "1")
        void call();
    }

    static class Implementation implements OnInterface {
        @Override
        public void call() {}
    }

    static class KnowsNoInterface {
        public void call() {}
    }

    static class ImplementedByItsSuperclass extends KnowsNoInterface implements OnInterface {}

    interface OfNumbers {
        @RateLimited(maxRequests = "1")
        void call(Long number);
    }

    interface OfNumbersAndMore extends OfNumbers {}

    static class Generic<N> {
        public void call(N number) {}

        public void call(String text) {}
    }

    interface WithFallback {
        @RateLimited(maxRequests = "1", fallbackMethod = "instead")
        String find(Long id);
    }

    static class Finder<T> {
        public String find(T key) {
            return "found " + key;
        }
    }

    static class FinderOfNumbers extends Finder<Long> implements WithFallback {
        String instead(Long id) {
            return "instead of " + id;
        }
    }

    static class ImplementedByAGenericSuperclass extends Generic<Long> implements OfNumbersAndMore {}

    @RateLimited(maxRequests = "1")
    interface OnWholeInterface {
        void call();
    }

    static class OtherImplementation implements OnWholeInterface {
        @Override
        public void call() {}
    }

    static class NearerThanInterface implements OnInterface {
        @Override
        @RateLimited(maxRequests = "3")
        public void call() {}
    }

    static class Inheriting extends OnClass {}

    @RateLimited(maxRequests = "3")
    static class NearerThanSuperclass extends OnClass {}

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited(maxRequests = "1")
    @interface OncePer {
        @AliasFor(annotation = RateLimited.class, attribute = "key")
        String subject();

        @AliasFor(annotation = RateLimited.class, attribute = "maxRequests")
        String times() default "1";
    }

    static class OnMeta {
        @OncePer(subject = "#user")
        public void call(String user) {}

        @OncePer(subject = "#user", times = "2")
        public void twice(String user) {}
    }

    static class WithPlaceholders {
        @RateLimited(
                algorithm = "${my.algorithm}",
                maxRequests = "${my.max}",
                windowSize = "${my.window:1m}",
                burst = "${my.burst}",
                key = "${my.key}",
                cost = "${my.cost}",
                condition = "${my.condition}",
                fallbackMethod = "${my.fallback}",
                onStoreFailure = "${my.policy}")
        public String call(String user) {
            return user;
        }

        String instead(String user) {
            return "not now";
        }

        @RateLimited("${my.limit}")
        public void named() {}
    }

    private final ApplicationContextRunner contexts = Contexts.plain().withUserConfiguration(AtSettableTime.class);

    @Test
    void onAClassItLimitsEachPublicMethodByItself() {
        contexts.withBean(OnClass.class).run(context -> {
            OnClass bean = context.getBean(OnClass.class);
            admits(1, bean::one);
            admits(1, bean::other);
            assertThatCode(bean::notPublic).doesNotThrowAnyException();
            assertThatCode(bean::notPublic).doesNotThrowAnyException();
            assertThat(bean.toString()).isEqualTo(bean.toString());
        });
    }

    @Test
    void onAMethodItReplacesThatOfTheClass() {
        contexts.withBean(OnClass.class).run(context -> admits(2, context.getBean(OnClass.class)::twice));
    }

    @Test
    void onAnInterfaceItLimitsWhatImplementsIt() {
        contexts.withBean(Implementation.class)
                .withBean(OtherImplementation.class)
                .run(context -> {
                    admits(1, context.getBean(Implementation.class)::call);
                    admits(1, context.getBean(OtherImplementation.class)::call);
                });
    }

    @Test
    void onAnInterfaceItLimitsWhatASuperclassImplements() {
        contexts.withBean(ImplementedByItsSuperclass.class)
                .run(context -> admits(1, context.getBean(ImplementedByItsSuperclass.class)::call));
    }

    @Test
    void onAnInterfaceItLimitsWhatAGenericSuperclassImplements() {
        contexts.withBean(ImplementedByAGenericSuperclass.class).run(context -> {
            ImplementedByAGenericSuperclass bean = context.getBean(ImplementedByAGenericSuperclass.class);
            admits(1, () -> bean.call(7L));
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> ((OfNumbers) bean).call(7L))
                    .withMessageContaining("OfNumbers.call");
            assertThatCode(() -> bean.call("7")).doesNotThrowAnyException();
            assertThatCode(() -> bean.call("7")).doesNotThrowAnyException();
        });
    }

    @Test
    void itsFallbackHasTheParametersThatTheClassGivesTheSuperclass() {
        contexts.withBean(FinderOfNumbers.class).run(context -> {
            FinderOfNumbers bean = context.getBean(FinderOfNumbers.class);
            assertThat(bean.find(7L)).isEqualTo("found 7");
            assertThat(bean.find(8L)).isEqualTo("instead of 8");
        });
    }

    @Test
    void onASuperclassItIsInherited() {
        contexts.withBean(Inheriting.class).run(context -> admits(1, context.getBean(Inheriting.class)::one));
    }

    @Test
    void theNearestOneHolds() {
        contexts.withBean(NearerThanInterface.class)
                .withBean(NearerThanSuperclass.class)
                .run(context -> {
                    admits(3, context.getBean(NearerThanInterface.class)::call);
                    admits(3, context.getBean(NearerThanSuperclass.class)::one);
                });
    }

    @Test
    void onAnAnnotationOfTheApplicationsOwnItTakesAliases() {
        contexts.withBean(OnMeta.class).run(context -> {
            OnMeta bean = context.getBean(OnMeta.class);
            admits(1, () -> bean.call("alice"));
            admits(1, () -> bean.call("bob"));
            admits(2, () -> bean.twice("alice"));
        });
    }

    @Test
    void everyAttributeTakesPlaceholders() {
        contexts.withBean(WithPlaceholders.class)
                .withPropertyValues(
                        "rate-limiter.limits.login.max-requests=1",
                        "my.limit=login",
                        "my.algorithm=token-bucket",
                        "my.max=1",
                        "my.burst=4",
                        "my.key=#user",
                        "my.cost=2",
                        "my.condition=#user != 'admin'",
                        "my.fallback=instead",
                        "my.policy=closed")
                .run(context -> {
                    WithPlaceholders bean = context.getBean(WithPlaceholders.class);
                    assertThat(bean.call("alice")).isEqualTo("alice");
                    assertThat(bean.call("alice")).isEqualTo("alice");
                    assertThat(bean.call("alice")).isEqualTo("not now");
                    assertThat(bean.call("bob")).isEqualTo("bob");
                    for (int i = 0; i < 5; i++) {
                        assertThat(bean.call("admin")).isEqualTo("admin");
                    }
                    admits(1, bean::named);
                });
    }

    private static void admits(int times, ThrowingCallable call) {
        for (int i = 0; i < times; i++) {
            assertThatCode(call).doesNotThrowAnyException();
        }
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call);
    }
}
