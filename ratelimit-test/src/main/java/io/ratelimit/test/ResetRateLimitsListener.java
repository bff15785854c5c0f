package io.ratelimit.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Starts every test class and method with nothing counted, also where they share an application. */
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
            test.getApplicationContext().getBeanProvider(TestStore.class).ifAvailable(TestStore::restart);
        }
    }
}
