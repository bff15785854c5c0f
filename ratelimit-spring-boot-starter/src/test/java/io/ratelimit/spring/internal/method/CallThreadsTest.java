package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallThreadsTest {

    private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

    @AfterEach
    void forget() {
        TENANT.remove();
    }

    @Test
    void keepNothingOfTheCallerThatNeedsThemFirst() {
        TENANT.set("acme");
        CompletableFuture<String> decision = new CompletableFuture<>();
        CompletableFuture<String> seen = CallThreads.handOver(decision)
                .thenApply(decided -> Thread.currentThread().getName() + TENANT.get())
                .toCompletableFuture();

        decision.complete("decided");

        assertThat(seen.join()).startsWith("rate-limited-").endsWith("null");
    }
}
