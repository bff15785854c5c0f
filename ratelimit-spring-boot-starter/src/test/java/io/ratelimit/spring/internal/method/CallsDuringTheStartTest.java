package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.Patience;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.SpringProperties;

/** Limited methods that are called while the container makes its beans, by its own thread and by another. */
class CallsDuringTheStartTest {

    /** As containers before Spring 6.2 do, a thread that needs a bean waits for the one that makes the others. */
    private static final String STRICT_LOCKING = "spring.locking.strict";

    @BeforeEach
    void lockStrictly() {
        SpringProperties.setFlag(STRICT_LOCKING);
    }

    @AfterEach
    void lockAsUsual() {
        SpringProperties.setProperty(STRICT_LOCKING, null);
    }

    @Test
    void aCallOfAnotherThreadDoesNotKeepTheStart() {
        CompletableFuture<?> start = CompletableFuture.runAsync(() -> Contexts.web()
                .withBean(Service.class)
                .withBean(Caller.class)
                .run(context -> assertThat(context).hasNotFailed()));

        assertThat(start).succeedsWithin(Patience.LONGEST);
    }

    static class Service {

        @RateLimited(maxRequests = "5", windowSize = "1m")
        public void call() {}
    }

    /** Lets another thread call, and calls itself when that one waits for the container. */
    record Caller(Service service) implements InitializingBean {

        @Override
        public void afterPropertiesSet() {
            Thread other = new Thread(service::call);
            other.setDaemon(true);
            other.start();
            await().until(() -> waitsForABean(other));
            service.call();
        }

        private static boolean waitsForABean(Thread thread) {
            return thread.getState() != Thread.State.RUNNABLE
                    && Stream.of(thread.getStackTrace())
                            .anyMatch(frame -> frame.getMethodName().equals("getSingleton"));
        }
    }
}
