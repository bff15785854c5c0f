package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.spring.testing.SlowStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Which thread runs a method whose decision took a while, and what it finds there. */
class CallerThreadTest {

    private static final Limit NESTED = Limit.of("nested", Algorithm.FIXED_WINDOW, 1000, Duration.ofMinutes(1));

    static class Service {
        private final RateLimiter limiter;

        Service(RateLimiter limiter) {
            this.limiter = limiter;
        }

        @RateLimited(maxRequests = "9")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture(seen());
        }

        @RateLimited(maxRequests = "9")
        public Mono<String> mono() {
            String assembled = seen();
            return Mono.fromSupplier(() -> assembled + "," + seen());
        }

        @RateLimited(maxRequests = "9")
        public Flux<String> flux() {
            return Flux.just(seen());
        }

        @RateLimited(maxRequests = "9")
        public CompletableFuture<String> stageThatLogsIn() {
            return CompletableFuture.completedFuture(logIn());
        }

        @RateLimited(maxRequests = "9")
        public Mono<String> monoThatLogsIn() {
            return Mono.just(logIn());
        }

        @RateLimited(maxRequests = "9")
        public CompletableFuture<Boolean> stageThatWaits() {
            return CompletableFuture.completedFuture(waits());
        }

        @RateLimited(maxRequests = "9")
        public Mono<Boolean> monoThatWaits() {
            return Mono.just(waits());
        }

        @RateLimited(maxRequests = "1", fallbackMethod = "instead")
        public Mono<String> withFallback() {
            return Mono.just(seen());
        }

        @RateLimited(maxRequests = "1")
        public CompletableFuture<String> once() {
            return CompletableFuture.completedFuture(seen());
        }

        Mono<String> instead() {
            return Mono.just("instead " + seen());
        }

        private static String logIn() {
            String before = seen();
            SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("system", ""));
            return before;
        }

        private boolean waits() {
            return limiter.acquire(Acquisition.of(NESTED, "anyone")).allowed();
        }

        private static String seen() {
            Authentication user = SecurityContextHolder.getContext().getAuthentication();
            return "%s/%s/%s on %s"
                    .formatted(
                            user == null ? null : user.getName(),
                            RequestContextHolder.getRequestAttributes() == null ? null : "request",
                            MDC.get("trace"),
                            Thread.currentThread().getName().startsWith(SlowStore.THREAD) ? "store" : "another");
        }
    }

    @Aspect
    static class Witness {
        @Before("within(io.ratelimit.spring.internal.method.CallerThreadTest.Service)")
        public void see() {}
    }

    /** Has the methods that it must have, and no value: setting none fails. */
    private static final class Unclearable implements ThreadLocalAccessor<String> {
        static final String KEY = "unclearable";

        @Override
        public Object key() {
            return KEY;
        }

        @Override
        public String getValue() {
            return null;
        }

        @Override
        public void setValue(String value) {}
    }

    @AfterEach
    void forget() {
        SecurityContextHolder.clearContext();
        RequestContextHolder.resetRequestAttributes();
        MDC.clear();
    }

    @Test
    void theCallerOfAStageDoesNotWaitForTheDecision() {
        with((service, store) -> {
            CompletableFuture<String> answer = service.stage();
            assertThat(answer).isNotDone();
            store.answer(1);
            assertThat(answer).succeedsWithin(Patience.LONGEST);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"stage", "mono", "flux"})
    void theMethodRunsOffTheStoresThreadInTheContextOfItsCaller(String method) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("alice", ""));
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
        MDC.put("trace", "t1");
        with((service, store) -> {
            CompletableFuture<String> answer = call(service, method);
            store.answer(1);
            assertThat(answer)
                    .succeedsWithin(Patience.LONGEST)
                    .asString()
                    .isSubstringOf("alice/request/t1 on another,alice/request/t1 on another");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"stage", "mono", "flux"})
    void nothingOfOneCallerIsLeftForTheNext(String method) {
        with((service, store) -> {
            MDC.put("trace", "t1");
            SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("alice", ""));
            CompletableFuture<String> first = call(service, method);
            store.answer(1);
            assertThat(first).succeedsWithin(Patience.LONGEST);
            forget();

            CompletableFuture<String> second = call(service, method);
            store.answer(1);

            assertThat(second).succeedsWithin(Patience.LONGEST).asString().doesNotContain("alice", "t1");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"stageThatLogsIn", "monoThatLogsIn"})
    void aLogInIsOfItsCallAlone(String method) {
        with((service, store) -> {
            CompletableFuture<String> first = call(service, method);
            CompletableFuture<String> second = call(service, method);
            store.answer(2);

            assertThat(List.of(first, second))
                    .allSatisfy(answer -> assertThat(answer)
                            .succeedsWithin(Patience.LONGEST)
                            .asString()
                            .startsWith("null/"));
            assertThat(SecurityContextHolder.getContext().getAuthentication()).isNull();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"stage", "mono", "flux"})
    void aPartOfTheContextThatFailsStopsNoCall(String method) {
        MDC.put("trace", "t1");
        ContextRegistry.getInstance().registerThreadLocalAccessor(new Unclearable());
        try {
            with((service, store) -> {
                CompletableFuture<String> answer = call(service, method);
                store.answer(1);
                assertThat(answer).succeedsWithin(Patience.LONGEST).asString().contains("/t1 on another");
            });
        } finally {
            ContextRegistry.getInstance().removeThreadLocalAccessor(Unclearable.KEY);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stage", "mono"})
    void aMethodThatWaitsForTheStoreDoesNotStopIt(String method) {
        with((service, store) -> {
            CompletableFuture<Boolean> answer = method.equals("stage")
                    ? service.stageThatWaits()
                    : service.monoThatWaits().toFuture();
            store.answer(2);
            assertThat(answer).succeedsWithin(Patience.LONGEST).isEqualTo(true);
        });
    }

    @Test
    void aReactorThreadThatMayNotBlockHandsOverToOneOfItsKind() {
        with((service, store) -> {
            CompletableFuture<Boolean> answer = Mono.defer(() -> service.mono())
                    .subscribeOn(Schedulers.parallel())
                    .map(any -> Schedulers.isInNonBlockingThread())
                    .toFuture();
            store.answer(1);
            assertThat(answer).succeedsWithin(Patience.LONGEST).isEqualTo(true);
        });
    }

    @Test
    void aRefusalIsAnsweredOffTheStoresThread() {
        with((service, store) -> {
            store.answer(4);
            assertThat(service.withFallback().block()).doesNotContain("instead");
            assertThat(service.withFallback().block()).contains("instead", "on another");
            assertThat(service.once()).succeedsWithin(Patience.LONGEST);
            assertThat(service.once())
                    .failsWithin(Patience.LONGEST)
                    .withThrowableThat()
                    .withCauseInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void aCancelledCallDoesNotRun() {
        with((service, store) -> {
            CompletableFuture<String> cancelled = service.stage();
            cancelled.cancel(true);
            store.answer(2);
            assertThat(service.stage()).succeedsWithin(Patience.LONGEST);
            assertThat(cancelled).isCancelled();
        });
    }

    private static CompletableFuture<String> call(Service service, String method) {
        return switch (method) {
            case "stage" -> service.stage();
            case "mono" -> service.mono().toFuture();
            case "stageThatLogsIn" -> service.stageThatLogsIn();
            case "monoThatLogsIn" -> service.monoThatLogsIn().toFuture();
            default -> service.flux().next().toFuture();
        };
    }

    private static void with(BiConsumer<Service, SlowStore> use) {
        Supplier<SlowStore> store = SlowStore::new;
        Contexts.plain()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withBean(SlowStore.class, store)
                .withBean(Witness.class)
                .withBean(Service.class)
                .run(context -> use.accept(context.getBean(Service.class), context.getBean(SlowStore.class)));
    }
}
