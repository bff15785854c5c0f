package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.SlowStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A limited method is in flight until it returns, or until the stage, {@code Mono} or {@code Flux} that it returned ends. */
class ConcurrentCallsTest {

    private static final String SECOND_CALL = "a second call";

    static class Service {

        @RateLimited(name = "one", algorithm = "concurrency", maxRequests = "1", key = "'all'")
        public String plain(Supplier<String> body) {
            return body.get();
        }

        @RateLimited(name = "one", algorithm = "concurrency", maxRequests = "1", key = "'all'")
        public CompletableFuture<String> future(Supplier<CompletableFuture<String>> body) {
            return body.get();
        }

        @RateLimited(name = "one", algorithm = "concurrency", maxRequests = "1", key = "'all'")
        public CompletionStage<String> stage(Supplier<CompletionStage<String>> body) {
            return body.get();
        }

        @RateLimited(name = "one", algorithm = "concurrency", maxRequests = "1", key = "'all'")
        public Mono<String> mono(Mono<String> body) {
            return body;
        }

        @RateLimited(name = "one", algorithm = "concurrency", maxRequests = "1", key = "'all'")
        public Flux<String> flux(Flux<String> body) {
            return body;
        }
    }

    /** A generic method of a superclass returns an Object, by its own account. */
    abstract static class Job<R> {

        @RateLimited(name = "one", algorithm = "concurrency", maxRequests = "1", key = "'all'")
        public R run(Supplier<R> body) {
            return body.get();
        }
    }

    static class FutureJob extends Job<CompletableFuture<String>> {}

    static class MonoJob extends Job<Mono<String>> {}

    static class UntypedJob extends Job<Object> {}

    @Test
    void aGenericMethodAsItsClassReturnsIt() {
        Contexts.plain()
                .withBean(FutureJob.class)
                .withBean(MonoJob.class)
                .withBean(UntypedJob.class)
                .run(context -> {
                    FutureJob job = context.getBean(FutureJob.class);
                    for (Supplier<CompletableFuture<?>> call : List.<Supplier<CompletableFuture<?>>>of(
                            () -> job.run(CompletableFuture::new),
                            () -> context.getBean(MonoJob.class)
                                    .run(Mono::never)
                                    .toFuture(),
                            () -> (CompletableFuture<?>)
                                    context.getBean(UntypedJob.class).run(CompletableFuture::new))) {
                        CompletableFuture<?> running = call.get();
                        assertThat(job.run(CompletableFuture::new)).isCompletedExceptionally();
                        running.cancel(true);
                    }
                });
    }

    /** As a controller's that answers with a value or, at times, a {@code Mono}. */
    @Test
    void whatIsDeclaredAsAnObjectUntilItEnds() {
        Contexts.plain().withBean(UntypedJob.class).run(context -> {
            UntypedJob job = context.getBean(UntypedJob.class);
            for (Publisher<?> running : List.of(Mono.never(), Flux.just(1).concatWith(Flux.never()))) {
                Publisher<?> returned = (Publisher<?>) job.run(() -> running);
                assertThatThrownBy(() -> job.run(() -> SECOND_CALL)).isInstanceOf(RateLimitExceededException.class);
                Flux.from(returned).subscribe().dispose();
                assertThat(job.run(() -> SECOND_CALL)).isEqualTo(SECOND_CALL);
            }
            Publisher<?> failing = (Publisher<?>) job.run(() -> Mono.error(new IllegalStateException("its own")));
            assertThatThrownBy(() -> job.run(() -> SECOND_CALL)).isInstanceOf(RateLimitExceededException.class);
            assertThatThrownBy(() -> Flux.from(failing).blockLast()).hasMessage("its own");
            assertThat(job.run(() -> SECOND_CALL)).isEqualTo(SECOND_CALL);
        });
    }

    @Test
    void aPlainMethodUntilItReturns() {
        run(service -> {
            assertThat(service.plain(() -> refused(service))).isEqualTo("refused");
            assertFree(service);
        });
    }

    @Test
    void aPlainMethodUntilItThrows() {
        run(service -> {
            assertThatThrownBy(() -> service.plain(() -> {
                        throw new IllegalStateException("its own");
                    }))
                    .hasMessage("its own");
            assertFree(service);
        });
    }

    @Test
    void aStageUntilItCompletesFailsOrIsCancelled() {
        run(service -> {
            for (Consumer<CompletableFuture<String>> end : Flux.<Consumer<CompletableFuture<String>>>just(
                            future -> future.complete("done"),
                            future -> future.completeExceptionally(new IllegalStateException("its own")),
                            future -> future.cancel(true))
                    .toIterable()) {
                CompletableFuture<String> body = new CompletableFuture<>();
                CompletableFuture<String> returned = service.future(() -> body);
                assertThat(refused(service)).isEqualTo("refused");
                end.accept(returned);
                assertFree(service);
            }
        });
    }

    /** One that can only be followed. */
    @Test
    void aMinimalStageUntilItCompletes() {
        run(service -> {
            CompletableFuture<String> body = new CompletableFuture<>();
            CompletableFuture<String> returned =
                    service.stage(body::minimalCompletionStage).toCompletableFuture();
            assertThat(refused(service)).isEqualTo("refused");
            body.complete("done");
            assertThat(returned).isCompletedWithValue("done");
            assertFree(service);
        });
    }

    /** Dependents of a stage run last in, first out. */
    @Test
    void whatIsChainedToAStageFindsItFree() {
        run(service -> {
            CompletableFuture<String> body = new CompletableFuture<>();
            CompletableFuture<String> next = service.future(() -> body)
                    .thenCompose(done -> service.future(() -> CompletableFuture.completedFuture("next")));
            body.complete("done");
            assertThat(next).isCompletedWithValue("next");
        });
    }

    @Test
    void aStageThatIsDecidedLaterToo() {
        Contexts.plain()
                .withBean(RateLimiter.class, SlowStore::new)
                .withBean(Service.class)
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    SlowStore store = context.getBean(SlowStore.class);
                    CompletableFuture<String> body = new CompletableFuture<>();
                    CompletableFuture<String> returned = service.future(() -> body);
                    store.answer(1);
                    await().until(() -> body.getNumberOfDependents() > 0);
                    returned.cancel(true);
                    store.answer(1);
                    assertThat(service.future(() -> CompletableFuture.completedFuture("done"))
                                    .join())
                            .isEqualTo("done");
                });
    }

    @Test
    void aStageThatTheMethodDoesNotReturn() {
        run(service -> {
            assertThat(service.future(() -> null)).isNull();
            assertThatThrownBy(() -> service.future(() -> {
                        throw new IllegalStateException("its own");
                    }))
                    .hasMessage("its own");
            assertFree(service);
        });
    }

    @Test
    void aMonoUntilItEmitsCompletesOrFails() {
        run(service -> {
            assertThat(service.mono(Mono.fromSupplier(() -> refused(service))).block())
                    .isEqualTo("refused");
            service.mono(Mono.empty()).block();
            assertThatThrownBy(() -> service.mono(Mono.error(new IllegalStateException("its own")))
                            .block())
                    .hasMessage("its own");
            assertFree(service);
        });
    }

    @Test
    void aFluxUntilItCompletes() {
        run(service -> {
            Sinks.Many<String> body = Sinks.many().unicast().onBackpressureBuffer();
            Mono<String> joined =
                    service.flux(body.asFlux()).reduce(String::concat).cache();
            Disposable running = joined.subscribe();
            body.tryEmitNext("a");
            assertThat(refused(service)).isEqualTo("refused");
            body.tryEmitComplete();
            assertThat(running.isDisposed()).isTrue();
            assertFree(service);
        });
    }

    @Test
    void aSubscriptionUntilItIsCancelled() {
        run(service -> {
            Disposable mono = service.mono(Mono.never()).subscribe();
            assertThat(refused(service)).isEqualTo("refused");
            mono.dispose();
            Disposable flux = service.flux(Flux.never()).subscribe();
            assertThat(refused(service)).isEqualTo("refused");
            flux.dispose();
            assertFree(service);
        });
    }

    /** Which may close a connection then, or write what is left. */
    @Test
    void aSubscriptionUntilTheResultKnowsThatItIsCancelled() {
        run(service -> {
            List<String> meanwhile = new ArrayList<>();
            service.mono(Mono.<String>never().doOnCancel(() -> meanwhile.add(refused(service))))
                    .subscribe()
                    .dispose();
            service.flux(Flux.<String>never().doOnCancel(() -> meanwhile.add(refused(service))))
                    .subscribe()
                    .dispose();
            assertThat(meanwhile).containsExactly("refused", "refused");
            assertFree(service);
        });
    }

    @Test
    void aSubscriptionWhoseResultFailsToCleanUp() {
        run(service -> {
            Disposable failing = service.flux(Flux.create(sink -> sink.onCancel(() -> {
                        throw new IllegalStateException("its own");
                    })))
                    .subscribe();
            assertThat(refused(service)).isEqualTo("refused");
            assertThatThrownBy(failing::dispose).hasMessage("its own");
            assertFree(service);
        });
    }

    private static void run(Consumer<Service> test) {
        Contexts.plain().withBean(Service.class).run(context -> test.accept(context.getBean(Service.class)));
    }

    private static String refused(Service service) {
        try {
            return service.plain(() -> SECOND_CALL);
        } catch (RateLimitExceededException refusal) {
            return "refused";
        }
    }

    private static void assertFree(Service service) {
        assertThat(service.plain(() -> "free")).isEqualTo("free");
    }
}
