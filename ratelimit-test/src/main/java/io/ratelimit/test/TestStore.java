package io.ratelimit.test;

import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.RateLimiterStackCustomizer;
import io.ratelimit.stack.RateLimiterStackBuilder;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.support.TestPropertySourceUtils;

/** Counts in memory by the test's clock. Thread-safe. */
final class TestStore implements RateLimiterStackCustomizer {

    private static final long MAX_SUBJECTS = 100_000;

    private final TestClock clock;
    private final InMemoryRateLimiter counts;

    private TestStore(TestClock clock) {
        this.clock = clock;
        this.counts = InMemoryRateLimiter.create(MAX_SUBJECTS, clock);
    }

    /** Gives an application that has not started yet this store and its clock, unless its parent has them. */
    static TestClock addTo(ConfigurableApplicationContext context) {
        TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, "rate-limiter.store=in-memory");
        ApplicationContext parent = context.getParent();
        TestStore above =
                parent == null ? null : parent.getBeanProvider(TestStore.class).getIfAvailable();
        if (above != null) {
            return above.clock;
        }
        TestClock clock = new TestClock();
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        beans.registerSingleton("rateLimiterTestClock", clock);
        beans.registerSingleton("rateLimiterTestStore", new TestStore(clock));
        return clock;
    }

    @Override
    public void customize(RateLimiterStackBuilder stack) {
        stack.memory(counts);
    }

    void restart() {
        clock.restart(counts);
    }
}
