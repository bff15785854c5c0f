package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.Patience;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Methods that answer later fail later too: the caller gets a failed stage and no exception. */
class AsyncResultTest {

    static class Service {
        final AtomicInteger runs = new AtomicInteger();

        @RateLimited(maxRequests = "1")
        public CompletionStage<String> stage() {
            return done();
        }

        @RateLimited(maxRequests = "1")
        public CompletableFuture<String> future() {
            return done();
        }

        @RateLimited(maxRequests = "1")
        public Future<String> plainFuture() {
            return done();
        }

        @RateLimited(maxRequests = "1", fallbackMethod = "instead")
        public CompletableFuture<String> withFallback() {
            return done();
        }

        CompletableFuture<String> instead() {
            return CompletableFuture.completedFuture("instead");
        }

        @RateLimited(maxRequests = "1", cost = "#cost")
        public CompletableFuture<String> costing(int cost) {
            return done();
        }

        private CompletableFuture<String> done() {
            runs.incrementAndGet();
            return CompletableFuture.completedFuture("done");
        }

        public int runs() {
            return runs.get();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stage", "future", "plainFuture"})
    void aRefusedCallIsAFailedStageAndDoesNotRun(String method) {
        with(service -> {
            assertThat(call(service, method)).succeedsWithin(Patience.LONGEST).isEqualTo("done");
            assertThat(call(service, method))
                    .failsWithin(Patience.LONGEST)
                    .withThrowableThat()
                    .withCauseInstanceOf(RateLimitExceededException.class);
            assertThat(service.runs()).isEqualTo(1);
        });
    }

    @Test
    void theFallbackAnswersInstead() {
        with(service -> {
            assertThat(service.withFallback()).isCompletedWithValue("done");
            assertThat(service.withFallback()).isCompletedWithValue("instead");
        });
    }

    @Test
    void aCostThatNeverFitsIsAFailedStage() {
        with(service -> {
            assertThatCode(() -> service.costing(2)).doesNotThrowAnyException();
            assertThat(service.costing(2))
                    .failsWithin(Patience.LONGEST)
                    .withThrowableThat()
                    .withCauseInstanceOf(CostExceedsCapacityException.class);
        });
    }

    private static Future<String> call(Service service, String method) {
        return switch (method) {
            case "stage" -> service.stage().toCompletableFuture();
            case "future" -> service.future();
            default -> service.plainFuture();
        };
    }

    private static void with(Consumer<Service> use) {
        Contexts.plain()
                .withUserConfiguration(AtSettableTime.class)
                .withBean(Service.class)
                .run(context -> use.accept(context.getBean(Service.class)));
    }
}
