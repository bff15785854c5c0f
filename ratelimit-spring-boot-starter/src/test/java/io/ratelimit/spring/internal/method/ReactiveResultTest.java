package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Every subscription is a call. */
class ReactiveResultTest {

    static class Service {
        private final AtomicInteger runs = new AtomicInteger();

        @RateLimited(maxRequests = "2", key = "#user")
        public Mono<String> mono(String user) {
            runs.incrementAndGet();
            return Mono.just(user);
        }

        @RateLimited(maxRequests = "2", key = "#user")
        public Flux<Integer> flux(String user) {
            runs.incrementAndGet();
            return Flux.range(0, 3);
        }

        @RateLimited(maxRequests = "2", key = "#user")
        public Flow.Publisher<Integer> adapted(String user) {
            runs.incrementAndGet();
            return JdkFlowAdapter.publisherToFlowPublisher(Flux.range(0, 3));
        }

        @RateLimited(maxRequests = "1")
        public ConnectableFlux<String> subclass() {
            return Flux.just("x").publish();
        }

        @RateLimited(maxRequests = "1", fallbackMethod = "instead")
        public Mono<String> withFallback() {
            return Mono.just("fresh");
        }

        Mono<String> instead() {
            return Mono.just("cached");
        }

        @RateLimited(maxRequests = "9", fallbackMethod = "instead")
        public Mono<String> refusedByWhatItCalls() {
            return Mono.error(new RateLimitExceededException(Decision.of(List.of(), Instant.EPOCH)));
        }

        @RateLimited(maxRequests = "9")
        public Mono<String> throwing() {
            throw new IllegalStateException("its own");
        }

        @RateLimited(maxRequests = "9")
        public Mono<String> empty() {
            return Mono.empty();
        }

        @RateLimited(maxRequests = "1", cost = "T(Integer).valueOf(2)")
        public Flux<String> tooMuch() {
            return Flux.empty();
        }

        public int runs() {
            return runs.get();
        }
    }

    @Test
    void callingWithoutSubscribingIsNoCall() {
        with(service -> {
            for (int i = 0; i < 5; i++) {
                service.mono("alice");
            }
            assertThat(service.runs()).isZero();
            assertThat(service.mono("alice").block()).isEqualTo("alice");
        });
    }

    @Test
    void everySubscriptionToAMonoIsADecision() {
        with(service -> {
            Mono<String> mono = service.mono("alice");
            assertThat(mono.block()).isEqualTo("alice");
            assertThat(mono.block()).isEqualTo("alice");
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(mono::block);
            assertThat(service.runs()).isEqualTo(2);
            assertThat(service.mono("bob").block()).isEqualTo("bob");
        });
    }

    @Test
    void everySubscriptionToAFluxIsADecision() {
        with(service -> {
            Flux<Integer> flux = service.flux("alice");
            assertThat(flux.collectList().block()).containsExactly(0, 1, 2);
            assertThat(flux.collectList().block()).containsExactly(0, 1, 2);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(flux::blockLast);
            assertThat(service.runs()).isEqualTo(2);
        });
    }

    @Test
    void everySubscriptionToAnythingThatSpringAdaptsIsADecision() {
        with(service -> {
            Flow.Publisher<Integer> publisher = service.adapted("alice");
            assertThat(service.runs()).isZero();
            Flux<Integer> flux = JdkFlowAdapter.flowPublisherToFlux(publisher);
            assertThat(flux.collectList().block()).containsExactly(0, 1, 2);
            assertThat(flux.collectList().block()).containsExactly(0, 1, 2);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(flux::blockLast);
            assertThat(service.runs()).isEqualTo(2);
        });
    }

    @Test
    void aTypeThatSpringCannotCreateIsDecidedWhenCalled() {
        with(service -> {
            assertThat(service.subclass()).isNotNull();
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::subclass);
        });
    }

    @Test
    void theFallbackAnswersInstead() {
        with(service -> {
            assertThat(service.withFallback().block()).isEqualTo("fresh");
            assertThat(service.withFallback().block()).isEqualTo("cached");
        });
    }

    @Test
    void aRefusalOfWhatTheMethodCallsIsItsOwnFailure() {
        with(service -> assertThatExceptionOfType(RateLimitExceededException.class)
                .isThrownBy(service.refusedByWhatItCalls()::block));
    }

    @Test
    void whatTheMethodThrowsOrLeavesEmptyStaysSo() {
        with(service -> {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(service.throwing()::block)
                    .withMessage("its own");
            assertThat(service.empty().block()).isNull();
        });
    }

    @Test
    void aCostThatNeverFitsFailsTheSubscription() {
        with(service ->
                assertThatExceptionOfType(CostExceedsCapacityException.class).isThrownBy(service.tooMuch()::blockLast));
    }

    private static void with(Consumer<Service> use) {
        Contexts.plain()
                .withUserConfiguration(AtSettableTime.class)
                .withBean(Service.class)
                .run(context -> use.accept(context.getBean(Service.class)));
    }
}
