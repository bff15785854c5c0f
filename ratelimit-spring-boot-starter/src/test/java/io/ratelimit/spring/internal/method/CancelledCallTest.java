package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.SlowStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Who leaves before the decision is there gets the charge back, and the method does not run. */
class CancelledCallTest {

    static class Service {
        private final AtomicInteger runs = new AtomicInteger();

        @RateLimited(maxRequests = "1", key = "#user")
        public Mono<String> mono(String user) {
            return Mono.fromSupplier(() -> "run " + runs.incrementAndGet());
        }

        @RateLimited(maxRequests = "1", key = "#user")
        public CompletableFuture<String> future(String user) {
            return CompletableFuture.completedFuture("run " + runs.incrementAndGet());
        }

        public int runs() {
            return runs.get();
        }
    }

    /** A timeout completes the future with a value or with a failure. */
    enum Left {
        CANCELLED,
        COMPLETED,
        FAILED;

        void end(CompletableFuture<String> future) {
            switch (this) {
                case CANCELLED -> future.cancel(true);
                case COMPLETED -> future.complete("instead");
                case FAILED -> future.completeExceptionally(new TimeoutException());
            }
        }
    }

    @Test
    void aCancelledSubscription() {
        with((service, store) -> {
            Disposable left = service.mono("alice").subscribe();
            left.dispose();
            store.answer(1);
            await().until(() -> store.refunds() == 1);
            store.answer(1);
            assertThat(service.mono("alice").block()).isEqualTo("run 1");
        });
    }

    @ParameterizedTest
    @EnumSource
    void aFutureThatItsCallerEnds(Left left) {
        with((service, store) -> {
            left.end(service.future("alice"));
            store.answer(1);
            await().until(() -> store.refunds() == 1);
            store.answer(1);
            assertThat(service.future("alice").join()).isEqualTo("run 1");
        });
    }

    @Test
    void whoLeavesLaterHasHadTheCall() {
        with((service, store) -> {
            Disposable ran = service.mono("alice").subscribe();
            store.answer(1);
            await().until(() -> service.runs() == 1);
            ran.dispose();
            assertThat(store.refunds()).isZero();
        });
    }

    private static void with(BiConsumer<Service, SlowStore> use) {
        Contexts.plain()
                .withBean(RateLimiter.class, SlowStore::new)
                .withBean(Service.class)
                .run(context -> use.accept(context.getBean(Service.class), context.getBean(SlowStore.class)));
    }
}
