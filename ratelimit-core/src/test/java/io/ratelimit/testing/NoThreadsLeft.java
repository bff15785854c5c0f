package io.ratelimit.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Checks after all tests of a class that no thread of a limiter or its client is left. */
public final class NoThreadsLeft implements BeforeAllCallback, AfterAllCallback {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(NoThreadsLeft.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getStore(NAMESPACE).put(context.getUniqueId(), Leftovers.threads());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        List<?> before = context.getStore(NAMESPACE).get(context.getUniqueId(), List.class);
        Awaitility.await("threads as before")
                .untilAsserted(() -> assertThat(Leftovers.threads()).allMatch(before::contains));
    }
}
