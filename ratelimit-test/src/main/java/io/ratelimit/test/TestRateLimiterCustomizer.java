package io.ratelimit.test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/** Gives an application the test's clock and a store in memory. All of them are equal, so that contexts are cached. */
record TestRateLimiterCustomizer() implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration config) {
        TestStore.addTo(context);
    }
}
