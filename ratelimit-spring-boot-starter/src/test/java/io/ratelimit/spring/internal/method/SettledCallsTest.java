package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A call is charged 10 when it begins, and what it cost when it has ended. */
class SettledCallsTest {

    static class Model {

        @RateLimited(value = "tokens", key = "'all'", cost = "10", actualCost = "#result.length()")
        public String plain(String text) {
            return text;
        }

        @RateLimited(value = "tokens", key = "'all'", cost = "10", actualCost = "#result.length()")
        public String failing(String text) {
            throw new IllegalStateException(text);
        }

        @RateLimited(value = "tokens", key = "'all'", cost = "10", actualCost = "#spent.get()")
        public String failingAfter(AtomicLong spent) {
            spent.set(3);
            throw new IllegalStateException("its own");
        }

        @RateLimited(value = "tokens", key = "'all'", cost = "10", actualCost = "#result.length()")
        public CompletableFuture<String> future(CompletableFuture<String> text) {
            return text;
        }

        @RateLimited(value = "tokens", key = "'all'", cost = "10", actualCost = "#result.length()")
        public Mono<String> mono(Mono<String> text) {
            return text;
        }

        @RateLimited(value = "tokens", key = "'all'", cost = "10", actualCost = "#result.isPresent() ? 4 : 0")
        public Object optional(Object value) {
            return Optional.of(value);
        }

        @RateLimited(value = "tokens", key = "'all'", cost = "10", actualCost = "#result")
        public Flux<Integer> flux(Flux<Integer> usedSoFar) {
            return usedSoFar;
        }
    }

    @Test
    void byWhatAMethodReturns() {
        run(context -> {
            model(context).plain("four");
            assertThat(used(context)).isEqualTo(4);
            model(context).plain("twelve chars");
            assertThat(used(context)).isEqualTo(16);
        });
    }

    /** Spring's adapters would look into it. */
    @Test
    void byAnOptionalWhateverItHolds() {
        run(context -> {
            assertThat(model(context).optional(new CompletableFuture<>())).isInstanceOf(Optional.class);
            assertThat(model(context).optional(Mono.never())).isInstanceOf(Optional.class);
            assertThat(used(context)).isEqualTo(8);
        });
    }

    @Test
    void byTheValueOfAStageOrMono() {
        run(context -> {
            CompletableFuture<String> text = new CompletableFuture<>();
            model(context).future(text);
            assertThat(used(context)).isEqualTo(10);
            text.complete("four");
            assertThat(used(context)).isEqualTo(4);
            model(context).mono(Mono.just("twelve chars")).block();
            assertThat(used(context)).isEqualTo(16);
        });
    }

    @Test
    void byTheLastElementOfAFluxAlsoOfOneThatIsCancelledOrFails() {
        run(context -> {
            model(context).flux(Flux.just(1, 2, 3)).blockLast();
            assertThat(used(context)).isEqualTo(3);
            Disposable left =
                    model(context).flux(Flux.just(4).concatWith(Flux.never())).subscribe();
            assertThat(used(context)).isEqualTo(13);
            left.dispose();
            assertThat(used(context)).isEqualTo(7);
            model(context)
                    .flux(Flux.just(5).concatWith(Flux.error(new IllegalStateException("its own"))))
                    .onErrorComplete()
                    .blockLast();
            assertThat(used(context)).isEqualTo(12);
        });
    }

    @Test
    void ofPartOfAStreamThatSaysZeroTheEstimateStays() {
        run(context -> {
            model(context)
                    .flux(Flux.just(0).concatWith(Flux.never()))
                    .subscribe()
                    .dispose();
            model(context)
                    .flux(Flux.just(0).concatWith(Flux.error(new IllegalStateException("its own"))))
                    .onErrorComplete()
                    .blockLast();
            assertThat(used(context)).isEqualTo(20);
        });
    }

    @Test
    void aWholeStreamThatSaysZeroCostsNothingAndWarnsOnce() {
        run(context -> {
            try (LogCapture log = LogCapture.start()) {
                model(context).plain("");
                assertThat(log.messages(Level.WARN)).isEmpty();
                model(context).flux(Flux.just(0, 0)).blockLast();
                model(context).flux(Flux.just(0, 0)).blockLast();
                assertThat(used(context)).isZero();
                assertThat(log.messages(Level.WARN))
                        .singleElement()
                        .satisfies(warning -> assertThat(warning)
                                .startsWith("RL-459: ")
                                .endsWith(
                                        "actual cost '#result' of a whole stream is 0, and its estimate was 10: does its last"
                                                + " element say what was used?"));
            }
        });
    }

    @Test
    void aFailedCallKeepsItsEstimateUnlessItsCostIsKnown() {
        run(context -> {
            assertThatThrownBy(() -> model(context).failing("its own")).hasMessage("its own");
            model(context)
                    .mono(Mono.error(new IllegalStateException("its own")))
                    .onErrorComplete()
                    .block();
            model(context).mono(Mono.never()).subscribe().dispose();
            assertThat(used(context)).isEqualTo(30);
            assertThatThrownBy(() -> model(context).failingAfter(new AtomicLong()))
                    .hasMessage("its own");
            assertThat(used(context)).isEqualTo(33);
        });
    }

    @Test
    void whatIsNotKnownKeepsItsEstimate() {
        run(context -> {
            model(context).plain(null);
            model(context).flux(Flux.empty()).blockLast();
            model(context).flux(Flux.just(-1)).blockLast();
            assertThat(used(context)).isEqualTo(30);
        });
    }

    private static void run(Consumer<ApplicationContext> test) {
        Contexts.plain()
                .withPropertyValues("rate-limiter.limits.tokens.max-requests=100")
                .withBean(Model.class)
                .run(test::accept);
    }

    private static Model model(ApplicationContext context) {
        return context.getBean(Model.class);
    }

    private static long used(ApplicationContext context) {
        return 100
                - context.getBean(RateLimiter.class)
                        .peek(Acquisition.of(context.getBean(Limits.class).get("tokens"), "value:all"))
                        .remaining();
    }
}
