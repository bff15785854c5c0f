package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.stack.RateLimiterStack;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Methods that wait for quota instead of being refused. */
class MaxWaitTest {

    private static final Duration WINDOW = Duration.ofMillis(100);

    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited(algorithm = "token-bucket", maxRequests = "1", windowSize = "100ms", key = "global", maxWait = "1h")
    @interface OneEach100Ms {}

    static class Service {
        private final AtomicInteger runs = new AtomicInteger();

        @OneEach100Ms
        public int plain() {
            return runs.incrementAndGet();
        }

        @RateLimited(maxRequests = "1", windowSize = "1h", key = "global", maxWait = "${longest:59m}")
        public int tooShort() {
            return runs.incrementAndGet();
        }

        @RateLimited(maxRequests = "1", windowSize = "1h", key = "global", maxWait = "2h")
        public int slow() {
            return runs.incrementAndGet();
        }

        @RateLimited(name = "a", maxRequests = "1", windowSize = "1h", key = "global", maxWait = "2h")
        @RateLimited(name = "b", maxRequests = "9", windowSize = "1h", key = "global", maxWait = "1s")
        @RateLimited(name = "c", maxRequests = "9", windowSize = "1h", key = "global")
        public int several() {
            return runs.incrementAndGet();
        }

        @RateLimited(maxRequests = "1", windowSize = "1h", key = "global", maxWait = "1", fallbackMethod = "instead")
        public int withFallback() {
            return runs.incrementAndGet();
        }

        int instead() {
            return -1;
        }

        @OneEach100Ms
        public Mono<Integer> mono() {
            return Mono.fromSupplier(runs::incrementAndGet);
        }

        @OneEach100Ms
        public Flux<Integer> flux() {
            return Flux.defer(() -> Flux.just(runs.incrementAndGet()));
        }

        @OneEach100Ms
        public CompletableFuture<Integer> future() {
            return CompletableFuture.completedFuture(runs.incrementAndGet());
        }

        @RateLimited(maxRequests = "1", windowSize = "1h", key = "global", maxWait = "2h")
        public Mono<Integer> slowMono() {
            return Mono.fromSupplier(runs::incrementAndGet);
        }

        @RateLimited(maxRequests = "1", windowSize = "1h", key = "global", maxWait = "2h")
        public CompletableFuture<Integer> slowFuture() {
            return CompletableFuture.completedFuture(runs.incrementAndGet());
        }
    }

    @Test
    void theCallingThreadWaitsUntilTheCallFits() {
        with((service, stack) -> {
            long begun = System.nanoTime();

            assertThat(service.plain() + service.plain() + service.plain()).isEqualTo(1 + 2 + 3);

            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isGreaterThanOrEqualTo(
                            WINDOW.multipliedBy(2).minusMillis(1)); // by another clock than the limiter's
        });
    }

    @ParameterizedTest
    @MethodSource("io.ratelimit.testing.Threads#kinds")
    void anyThreadWaits(Function<Runnable, Thread> kind) {
        with((service, stack) -> {
            service.plain();
            CompletableFuture<Integer> result = new CompletableFuture<>();

            kind.apply(() -> result.complete(service.plain())).start();

            assertThat(result.join()).isEqualTo(2);
        });
    }

    @Test
    void aCallThatDoesNotFitInTimeIsRefusedAtOnce() {
        with((service, stack) -> {
            service.tooShort();

            assertThatThrownBy(service::tooShort).isInstanceOf(RateLimitExceededException.class);
            assertThat(stack.state().waiting()).isZero();
        });
    }

    @Test
    void theShortestOfSeveralAnnotationsHolds() {
        with((service, stack) -> {
            service.several();

            assertThatThrownBy(service::several).isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void theFallbackAnswersACallThatIsRefused() {
        with((service, stack) -> {
            service.withFallback();

            assertThat(service.withFallback()).isEqualTo(-1);
        });
    }

    @Test
    void whatAnswersLaterWaitsWithoutTheCallingThread() {
        with((service, stack) -> {
            assertThat(service.mono().block()).isEqualTo(1);
            assertThat(service.mono().block()).isEqualTo(2);
            assertThat(service.flux().blockLast()).isEqualTo(3);
            assertThat(service.flux().blockLast()).isEqualTo(4);
            assertThat(service.future().join()).isEqualTo(5);
            assertThat(service.future().join()).isEqualTo(6);

            service.slowMono().block();
            service.slowFuture().join();
            Disposable waiting = service.slowMono().subscribe(); // returns, although nothing fits for an hour
            CompletableFuture<Integer> future = service.slowFuture();
            assertThat(stack.state().waiting()).isEqualTo(2);

            waiting.dispose();
            future.cancel(true);

            assertThat(stack.state().waiting()).isZero();
        });
    }

    @Test
    void aFutureThatTimesOutWaitsNoLonger() {
        with((service, stack) -> {
            service.slowFuture().join();

            CompletableFuture<Integer> waiting = service.slowFuture().orTimeout(1, TimeUnit.MILLISECONDS);

            await().until(waiting::isCompletedExceptionally);
            await().until(() -> stack.state().waiting() == 0);
        });
    }

    @Test
    void aMonoThatIsSubscribedToOnAnEventLoopWaits() {
        with((service, stack) -> {
            Mono<Integer> onEventLoop = Mono.defer(service::mono).subscribeOn(Schedulers.parallel());

            assertThat(onEventLoop.block()).isEqualTo(1);
            assertThat(onEventLoop.block()).isEqualTo(2);
        });
    }

    @Test
    void aPlainMethodDoesNotWaitOnAnEventLoop() {
        with((service, stack) -> {
            service.slow();

            Mono<Integer> onEventLoop = Mono.fromSupplier(service::slow).subscribeOn(Schedulers.parallel());

            assertThatThrownBy(onEventLoop::block).isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void anInterruptedThreadIsRefusedAndStaysInterrupted() {
        with((service, stack) -> {
            service.slow();
            CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                assertThatThrownBy(service::slow).isInstanceOf(RateLimitExceededException.class);
                interrupted.complete(Thread.currentThread().isInterrupted());
            });
            thread.start();
            await().until(() -> stack.state().waiting() == 1);

            thread.interrupt();

            assertThat(interrupted.join()).isTrue();
            assertThat(stack.state().waiting()).isZero();
        });
    }

    @Test
    void closingTheContextEndsTheWait() {
        Future<?>[] waiting = new Future<?>[1];
        with((service, stack) -> {
            service.slowFuture();
            waiting[0] = service.slowFuture();
            assertThat(waiting[0]).isNotDone();
        });

        await().until(() -> waiting[0].isDone());
    }

    private static void with(BiConsumer<Service, RateLimiterStack> use) {
        Contexts.plain()
                .withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class))
                .withBean(Service.class)
                .run(context -> use.accept(context.getBean(Service.class), context.getBean(RateLimiterStack.class)));
    }
}
