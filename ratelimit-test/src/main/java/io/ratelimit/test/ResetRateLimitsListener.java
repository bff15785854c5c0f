package io.ratelimit.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Starts every test method with nothing counted, also where methods share an application. */
final class ResetRateLimitsListener implements TestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(TestStore.class).ifAvailable(TestStore::restart);
        }
    }
}
