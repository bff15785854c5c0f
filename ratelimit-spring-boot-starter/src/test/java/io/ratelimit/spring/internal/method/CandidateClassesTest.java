package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.RateLimited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the annotation stands on, no class that it limits is passed over. */
class CandidateClassesTest {

    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited
    @interface Strict {}

    interface Contract {
        @RateLimited
        void call();
    }

    @Strict
    interface AnnotatedContract {}

    static class Plain {
        @Deprecated
        public void call() {}
    }

    static class Repeated {
        @RateLimited("one")
        @RateLimited("two")
        void call() {}
    }

    static class Composed {
        @Strict
        static void call() {}
    }

    @RateLimited
    static class Annotated {}

    abstract static class Implementing implements Contract {}

    static class Inheriting extends Implementing {
        @Override
        public void call() {}
    }

    interface Narrower extends AnnotatedContract {}

    static class ImplementingNarrower implements Narrower {}

    private final CandidateClasses candidates = new CandidateClasses();

    @ParameterizedTest
    @ValueSource(
            classes = {
                Contract.class,
                AnnotatedContract.class,
                Repeated.class,
                Composed.class,
                Annotated.class,
                Implementing.class,
                Inheriting.class,
                ImplementingNarrower.class
            })
    void anAnnotationIsFoundOnTheClassAndOnAllAboveIt(Class<?> type) {
        assertThat(candidates.matches(type)).isTrue();
    }

    @Test
    void theInterfacesOfAProxyCount() {
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Contract.class}, (self, method, arguments) -> null);

        assertThat(candidates.matches(proxy.getClass())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(classes = {Plain.class, Object.class, Runnable.class, String.class})
    void aClassWithoutTheAnnotationIsNone(Class<?> type) {
        assertThat(candidates.matches(type)).isFalse();
    }
}
