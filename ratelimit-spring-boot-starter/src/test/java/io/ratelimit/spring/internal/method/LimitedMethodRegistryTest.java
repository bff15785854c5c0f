package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.internal.rule.RuleFactory;
import io.ratelimit.spring.testing.Contexts;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.springframework.util.ReflectionUtils;

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
