package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.SlowStore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Schedulers;

/** A method that returns a value waits for the store, also on a thread that must not block. */
class BlockingCallTest {

    static class Service {
        private final AtomicInteger runs = new AtomicInteger();

        @RateLimited(maxRequests = "5", key = "global")
        public int call() {
            return runs.incrementAndGet();
        }

        public int runs() {
            return runs.get();
        }
    }

    @Test
    void waitsOnAnEventLoopAndWarns() {
        Contexts.plain()
                .withBean(RateLimiter.class, SlowStore::new)
                .withBean(Service.class)
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    SlowStore store = context.getBean(SlowStore.class);
                    try (LogCapture log = LogCapture.start()) {
                        Schedulers.parallel().schedule(service::call);
                        await().until(() -> !log.messages(Level.WARN).isEmpty());
                        assertThat(service.runs()).isZero();
                        store.answer(1);
                        await().until(() -> service.runs() == 1);
                        assertThat(log.messages(Level.WARN))
                                .singleElement()
                                .asString()
                                .contains("Service.call()", "must not block", "Schedulers.boundedElastic()");
                    }
                });
    }
}
