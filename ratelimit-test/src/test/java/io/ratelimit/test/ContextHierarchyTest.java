package io.ratelimit.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.internal.live.Overrides;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.ContextHierarchy;

/** An application with a parent, which has the limiter. */
@SpringBootTest(properties = "spring.config.name=shop", webEnvironment = WebEnvironment.NONE)
@ContextHierarchy({
    @ContextConfiguration(classes = Shop.class),
    @ContextConfiguration(classes = ContextHierarchyTest.Child.class)
})
@AutoConfigureTestRateLimiter
class ContextHierarchyTest {

    @Configuration(proxyBeanMethods = false)
    static class Child {}

    @Autowired
    private ApplicationContext context;

    /** The second time, the application is the same. */
    @RepeatedTest(2)
    void aTestBeginsWithNothingCounted(@Autowired RateLimiter limiter) {
        Limit once = Limit.of("once", Algorithm.SLIDING_WINDOW_LOG, 1, Duration.ofDays(9));

        assertThat(limiter.acquire(Acquisition.of(once, "alice")).allowed()).isTrue();
    }

    @RepeatedTest(2)
    void aTestBeginsWithoutOverrides(@Autowired Overrides overrides) {
        assertThat(overrides.of("login")).isEmpty();
        overrides.begin("login", 50, null, Duration.ofHours(1));
        assertThat(overrides.of("login")).isPresent();
    }

    @Test
    void theClockIsTheParents() {
        ApplicationContext parent = Objects.requireNonNull(context.getParent());

        assertThat(context.getBean(TestClock.class)).isSameAs(parent.getBean(TestClock.class));
    }
}
