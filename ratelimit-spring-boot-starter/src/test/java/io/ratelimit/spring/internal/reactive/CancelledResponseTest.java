package io.ratelimit.spring.internal.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.testing.ForwardingRateLimiter;
import java.security.Principal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A client that leaves gives back its slot, whenever its decision arrives. */
class CancelledResponseTest {

    private static final Limit ONE = Limit.of("slow", Algorithm.CONCURRENCY, 1, Duration.ofMinutes(10));

    /** Decides when the test says so. */
    static final class HeldDecision extends ForwardingRateLimiter {

        private final CompletableFuture<Decision> decision = new CompletableFuture<>();
        private final CountDownLatch settled = new CountDownLatch(1);
        private Acquisition asked;

        HeldDecision() {
            super(InMemoryRateLimiter.create());
        }

        @Override
        public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
            asked = acquisition;
            return decision;
        }

        @Override
        public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision made, long... actual) {
            CompletionStage<Void> done = super.settleAsync(acquisition, made, actual);
            settled.countDown();
            return done;
        }

        void arrive() {
            decision.complete(limiter.acquire(asked));
        }

        /** The decision goes on to the request on a thread of its own. */
        void arriveAndWait() {
            arrive();
            try {
                assertThat(settled.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }

        boolean hasFreeSlot() {
            return limiter.peek(Acquisition.of(ONE, "global")).allowed();
        }
    }

    /** Its principal sees the response cancelled before the decision is. */
    private static final class Exchange extends ServerWebExchangeDecorator {

        private final ApplicationContext application;
        private final Runnable onCancel;

        Exchange(ApplicationContext application, Runnable onCancel) {
            super(MockServerWebExchange.from(MockServerHttpRequest.get("/slow")));
            this.application = application;
            this.onCancel = onCancel;
        }

        @Override
        public ApplicationContext getApplicationContext() {
            return application;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T extends Principal> Mono<T> getPrincipal() {
            Principal ann = () -> "ann";
            return (Mono<T>)
                    Mono.fromDirect(Flux.just(ann).concatWith(Flux.never()).doOnCancel(onCancel));
        }
    }

    @Test
    void whileTheDecisionArrives() {
        with((limiter, application) -> {
            Disposable response = filtered(new Exchange(application, limiter::arrive), application);
            response.dispose();
            assertThat(limiter.decision).isDone();
            await().until(limiter::hasFreeSlot);
        });
    }

    @Test
    void beforeTheDecisionArrives() {
        with((limiter, application) -> {
            filtered(new Exchange(application, () -> {}), application).dispose();
            limiter.arriveAndWait();
            assertThat(limiter.hasFreeSlot()).isTrue();
        });
    }

    @Test
    void afterTheDecisionHasArrived() {
        with((limiter, application) -> {
            Disposable response = filtered(new Exchange(application, () -> {}), application);
            limiter.arrive();
            assertThat(limiter.hasFreeSlot()).isFalse();
            response.dispose();
            await().until(limiter::hasFreeSlot);
        });
    }

    /** The handler may close a connection then, or write what is left. */
    @Test
    void notBeforeTheHandlerKnowsIt() {
        with((limiter, application) -> {
            AtomicBoolean wasFree = new AtomicBoolean(true);
            AtomicBoolean isAtWork = new AtomicBoolean();
            Mono<Void> handler = Mono.<Void>never()
                    .doOnSubscribe(begun -> isAtWork.set(true))
                    .doOnCancel(() -> wasFree.set(limiter.hasFreeSlot()));
            Disposable response = filtered(new Exchange(application, () -> {}), application, handler);
            limiter.arrive();
            await().untilTrue(isAtWork);
            response.dispose();
            assertThat(wasFree).isFalse();
            await().until(limiter::hasFreeSlot);
        });
    }

    @Test
    void notBeforeTheBodyKnowsIt() {
        with((limiter, application) -> {
            AtomicBoolean wasFree = new AtomicBoolean(true);
            ServerWebExchange exchange = new Exchange(application, () -> {});
            Flux<DataBuffer> endless = Flux.<DataBuffer>just(new DefaultDataBufferFactory().wrap(new byte[1]))
                    .concatWith(Flux.never())
                    .doOnCancel(() -> wasFree.set(limiter.hasFreeSlot()));
            Disposable response = application
                    .getBean("rateLimiterRoutesBeforeAuthentication", RateLimitWebFilter.class)
                    .filter(exchange, passed -> passed.getResponse().writeWith(endless))
                    .subscribe();
            limiter.arrive();
            await().until(() -> exchange.getResponse().isCommitted());
            response.dispose();
            assertThat(wasFree).isFalse();
            await().until(limiter::hasFreeSlot);
        });
    }

    private static Disposable filtered(ServerWebExchange exchange, ApplicationContext application) {
        return filtered(exchange, application, Mono.never());
    }

    private static Disposable filtered(ServerWebExchange exchange, ApplicationContext application, Mono<Void> handler) {
        return application
                .getBean("rateLimiterRoutesBeforeAuthentication", RateLimitWebFilter.class)
                .filter(exchange, passed -> handler)
                .subscribe();
    }

    private interface Use {
        void of(HeldDecision limiter, ApplicationContext application);
    }

    private static void with(Use use) {
        Contexts.reactive()
                .withBean(RateLimiter.class, HeldDecision::new)
                .withPropertyValues(
                        "rate-limiter.routes.slow.paths=/slow",
                        "rate-limiter.routes.slow.key=global",
                        "rate-limiter.routes.slow.use-algo=concurrency",
                        "rate-limiter.routes.slow.max-requests=1",
                        "rate-limiter.routes.slow.window-size=10m")
                .run(context -> use.of(
                        (HeldDecision) context.getBean(RateLimiter.class), context.getSourceApplicationContext()));
    }
}
