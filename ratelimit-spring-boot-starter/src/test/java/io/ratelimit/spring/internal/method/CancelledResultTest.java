package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * If a caller leaves, nobody knows how the call would have ended, and it counts. What a method has cancelled by itself, as by a
 * timeout, is an exception like any other.
 */
class CancelledResultTest {

    static class LogIn {

        @RateLimited(value = "failures", key = "'all'", count = "IllegalArgumentException")
        public String plain(RuntimeException failure) {
            throw failure;
        }

        @RateLimited(value = "failures", key = "'all'", count = "IllegalArgumentException")
        public CompletableFuture<String> future(CompletableFuture<String> result) {
            return result;
        }

        @RateLimited(value = "failures", key = "'all'", count = "IllegalArgumentException")
        public Object untyped(CompletableFuture<String> result) {
            return result;
        }

        @RateLimited(value = "failures", key = "'all'", count = "IllegalArgumentException")
        public Mono<String> mono(Mono<String> result) {
            return result;
        }

        @RateLimited(value = "failures", key = "'all'", count = "IllegalArgumentException")
        public Flux<String> flux(Flux<String> result) {
            return result;
        }
    }

    static Stream<Consumer<LogIn>> left() {
        return Stream.of(
                logIn -> logIn.future(new CompletableFuture<>()).cancel(true),
                logIn -> ((CompletableFuture<?>) logIn.untyped(new CompletableFuture<>())).cancel(true),
                logIn -> logIn.mono(Mono.never()).subscribe().dispose(),
                logIn -> logIn.flux(Flux.never()).subscribe().dispose(),
                logIn -> logIn.mono(Mono.<String>never().doOnCancel(CancelledResultTest::fail))
                        .subscribe()
                        .dispose(),
                logIn -> logIn.flux(Flux.<String>never().doOnCancel(CancelledResultTest::fail))
                        .subscribe()
                        .dispose());
    }

    /** What is cleaned up fails otherwise than what counts. */
    private static void fail() {
        throw new IllegalStateException("its own");
    }

    static Stream<Consumer<LogIn>> cancelledByThemselves() {
        RuntimeException timeout = new CancellationException("for the test");
        CompletableFuture<String> cancelled = new CompletableFuture<>();
        cancelled.cancel(true);
        return Stream.of(
                logIn -> ignored(() -> logIn.plain(timeout)),
                logIn -> ignored(() -> logIn.plain(new CompletionException(timeout))),
                logIn -> logIn.future(cancelled),
                logIn -> logIn.future(cancelled.thenApply(never -> "done")),
                logIn -> logIn.untyped(cancelled.thenApply(never -> "done")),
                logIn -> {
                    CompletableFuture<String> running = new CompletableFuture<>();
                    logIn.future(running);
                    running.cancel(true);
                },
                logIn -> logIn.mono(Mono.error(timeout)).onErrorComplete().block(),
                logIn -> logIn.flux(Flux.just("begun").concatWith(Mono.error(timeout)))
                        .onErrorComplete()
                        .blockLast());
    }

    @ParameterizedTest
    @MethodSource
    void left(Consumer<LogIn> call) {
        assertThat(usedBy(call)).isOne();
    }

    @ParameterizedTest
    @MethodSource
    void cancelledByThemselves(Consumer<LogIn> call) {
        assertThat(usedBy(call)).isZero();
    }

    private static void ignored(ThrowingCallable call) {
        assertThatThrownBy(call).isNotNull();
    }

    private static long usedBy(Consumer<LogIn> call) {
        long[] used = new long[1];
        Contexts.plain()
                .withPropertyValues("rate-limiter.limits.failures.max-requests=100")
                .withBean(LogIn.class)
                .run(context -> {
                    call.accept(context.getBean(LogIn.class));
                    used[0] = 100
                            - context.getBean(RateLimiter.class)
                                    .peek(Acquisition.of(
                                            context.getBean(Limits.class).get("failures"), "value:all"))
                                    .remaining();
                });
        return used[0];
    }
}
