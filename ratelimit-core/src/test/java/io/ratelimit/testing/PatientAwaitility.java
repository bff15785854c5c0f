package io.ratelimit.testing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes Awaitility wait for a minute unless a test says otherwise, so that a busy machine fails no test, and look at once and
 * then every 5 ms. JUnit finds this extension by itself.
 */
public final class PatientAwaitility implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(5, TimeUnit.MILLISECONDS);
    }
}
