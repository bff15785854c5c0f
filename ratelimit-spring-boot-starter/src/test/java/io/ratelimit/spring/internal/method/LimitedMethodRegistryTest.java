package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.internal.rule.RuleFactory;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Annotations that are read again, because the configuration has changed. */
class LimitedMethodRegistryTest {

    static class Service {
        @RateLimited(maxRequests = "${most}")
        public void known() {}

        @RateLimited(maxRequests = "${most}")
        public void foundMeanwhile() {}

        @RateLimited(maxRequests = "${most}")
        public void foundAndNotReadMeanwhile() {}

        @RateLimited(maxRequests = "${most}")
        public void foundLater() {}

        public void plain() {}
    }

    static class Subscribed {
        @RateLimited(maxRequests = "1", count = "${counted}")
        public Mono<String> one() {
            return Mono.just("one");
        }

        @RateLimited(maxRequests = "1", count = "${counted}")
        public Flux<String> many() {
            return Flux.just("one", "two");
        }
    }

    @Test
    void aMethodThatIsFoundWhileAChangeIsPreparedFollowsIt() {
        Contexts.plain().withPropertyValues("most=1").run(context -> {
            LimitedMethodRegistry methods = context.getBean(LimitedMethodRegistry.class);
            assertThat(most(methods, "known")).isEqualTo(1);

            Runnable change = methods.prepare(
                    new AnnotationReader(context.getBean(RuleFactory.class), text -> text.replace("${most}", "2")));
            assertThat(most(methods, "foundMeanwhile")).isEqualTo(1);
            assertThat(methods.isLimited(method("foundAndNotReadMeanwhile"), Service.class))
                    .isTrue();
            assertThat(methods.isLimited(method("plain"), Service.class)).isFalse();
            change.run();

            assertThat(most(methods, "known")).isEqualTo(2);
            assertThat(most(methods, "foundMeanwhile")).isEqualTo(2);
            assertThat(most(methods, "foundAndNotReadMeanwhile")).isEqualTo(2);
            assertThat(most(methods, "foundLater")).isEqualTo(2);
            assertThat(methods.isLimited(method("plain"), Service.class)).isFalse();
        });
    }

    @Test
    void aPublisherThatWasMadeBeforeAChangeFollowsItAtTheNextSubscription() {
        Contexts.plain()
                .withUserConfiguration(AtSettableTime.class)
                .withBean(Subscribed.class)
                .withPropertyValues("counted=all")
                .run(context -> {
                    Mono<String> one = context.getBean(Subscribed.class).one();
                    Flux<String> many = context.getBean(Subscribed.class).many();
                    context.getBean(LimitedMethodRegistry.class)
                            .prepare(new AnnotationReader(
                                    context.getBean(RuleFactory.class), text -> text.replace("${counted}", "failures")))
                            .run();

                    for (int i = 0; i < 3; i++) { // successes are given back
                        assertThat(one.block()).isEqualTo("one");
                        assertThat(many.collectList().block()).containsExactly("one", "two");
                    }
                });
    }

    private static long most(LimitedMethodRegistry methods, String name) {
        return methods.find(method(name), Service.class)
                .orElseThrow()
                .rules()
                .get(0)
                .limits()
                .get(0)
                .capacity();
    }

    private static Method method(String name) {
        return ReflectionUtils.findMethod(Service.class, name);
    }
}
