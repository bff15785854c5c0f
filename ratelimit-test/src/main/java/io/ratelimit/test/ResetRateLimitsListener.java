package io.ratelimit.test;

import io.ratelimit.spring.internal.live.Overrides;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Starts every test class and method with nothing counted and no override, also where they share an application. */
final class ResetRateLimitsListener implements TestExecutionListener {

    @Override
    public void beforeTestClass(TestContext test) {
        restart(test);
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        restart(test);
    }

    private static void restart(TestContext test) {
        if (test.hasApplicationContext()) {
            ApplicationContext context = test.getApplicationContext();
            context.getBeanProvider(TestStore.class).ifAvailable(store -> {
                store.restart();
                context.getBeanProvider(Overrides.class).ifAvailable(Overrides::liftAll);
            });
        }
    }
}
