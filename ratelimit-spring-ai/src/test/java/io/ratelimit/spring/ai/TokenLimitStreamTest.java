package io.ratelimit.spring.ai;

import static io.ratelimit.spring.ai.TestModel.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.ForwardingRateLimiter;
import io.ratelimit.testing.PendingRateLimiter;
import io.ratelimit.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Limits what {@code stream()} asks of a model. */
class TokenLimitStreamTest {

    private final RateLimiter limiter = InMemoryRateLimiter.create(1_000, new SettableClock());
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestModel model = new TestModel();

    private final Limit requests = Limit.of("requests", Algorithm.FIXED_WINDOW, 10, Duration.ofMinutes(1));
    private final Limit tokens = Limit.of("tokens", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofMinutes(1));

    @Test
    void settlesByTheUsageOfTheLastPart() {
        model.meanwhile = () -> assertThat(left(tokens)).isEqualTo(100 - 2 - 50);

        List<String> words =
                stream(limiter, prompt("please say:20", 50)).collectList().block();

        assertThat(words).hasSize(21);
        await().untilAsserted(() -> assertThat(left(tokens)).isEqualTo(100 - 2 - 20));
        assertThat(left(requests)).isEqualTo(9);
    }

    @Test
    void usageThatGrowsWithEachPartCountsOnce() {
        TestModel growing = new TestModel() {
            @Override
            public Flux<ChatResponse> stream(Prompt prompt) {
                return Flux.just(response("one ", 3), response("two ", 4), response("three ", 5), response("", 0));
            }
        };

        stream(limiter, growing, prompt("count up", 50)).blockLast();

        await().untilAsserted(() -> assertThat(left(tokens)).isEqualTo(95));
    }

    @Test
    void aCancelledStreamCostsWhatWasSeen() {
        stream(limiter, prompt("please say:20", 50)).take(7).blockLast();

        await().untilAsserted(() -> assertThat(left(tokens)).isEqualTo(100 - 2 - 7));
        assertThat(left(requests)).isEqualTo(9);
    }

    @Test
    void aCancelledStreamIsInFlightUntilTheModelKnowsIt() {
        Limit one = Limit.of("one", Algorithm.CONCURRENCY, 1, Duration.ofMinutes(1));
        List<Long> atCancel = new ArrayList<>();
        TestModel closing = new TestModel() {
            @Override
            public Flux<ChatResponse> stream(Prompt prompt) {
                return Flux.just(response("one ", 3))
                        .concatWith(Flux.never())
                        .doOnCancel(() -> atCancel.add(left(one)));
            }
        };

        ChatClient.builder(closing)
                .defaultAdvisors(TokenLimitAdvisor.builder(limiter)
                        .requests(one, "global")
                        .build())
                .build()
                .prompt("count up")
                .stream()
                .content()
                .take(1)
                .blockLast();

        assertThat(atCancel).containsExactly(0L);
        await().untilAsserted(() -> assertThat(left(one)).isEqualTo(1));
    }

    @Test
    void whatWasSeenIsCountedOnAThreadThatMayBlock() {
        Words blocking = new Words() {
            @Override
            public int estimate(String text) {
                if (Schedulers.isInNonBlockingThread()) {
                    throw new IllegalStateException("asks a server, and must not block");
                }
                return super.estimate(text);
            }
        };

        stream(limiter, model, blocking, prompt("please say:20", 50))
                .cancelOn(Schedulers.parallel())
                .take(7)
                .blockLast();

        await().untilAsserted(() -> assertThat(left(tokens)).isEqualTo(100 - 2 - 7));
    }

    @Test
    void aStreamThatIsCancelledAfterItsUsageCostsThat() {
        stream(limiter, prompt("please say:20", 50)).take(21).blockLast();

        await().untilAsserted(() -> assertThat(left(tokens)).isEqualTo(100 - 2 - 20));
    }

    @Test
    void aStreamThatFailsBeforeItsFirstTextCostsNoTokens() {
        assertThatThrownBy(() -> stream(limiter, prompt("then:fail", 50)).blockLast())
                .isInstanceOf(TestModel.Overloaded.class);

        await().untilAsserted(() -> assertThat(left(tokens)).isEqualTo(100));
        assertThat(left(requests)).isEqualTo(9);
    }

    @Test
    void aStreamThatFailsLaterCostsWhatWasSeen() {
        assertThatThrownBy(() -> stream(limiter, prompt("say:3 then:fail", 50)).blockLast())
                .isInstanceOf(TestModel.Overloaded.class);

        await().untilAsserted(() -> assertThat(left(tokens)).isEqualTo(100 - 2 - 3));
    }

    /** As one that asks another server. */
    @Test
    void aStreamWhoseTextCannotBeCountedCostsTheEstimate() {
        Words promptsOnly = new Words() {
            @Override
            public int estimate(String text) {
                if (text.startsWith("word ")) {
                    throw new IllegalStateException("not counted");
                }
                return super.estimate(text);
            }
        };

        stream(limiter, model, promptsOnly, prompt("say:20", 30)).take(7).blockLast();
        await().untilAsserted(() -> assertThat(unresolved()).isOne());
        assertThatThrownBy(() -> stream(limiter, model, promptsOnly, prompt("say:3 then:fail", 30))
                        .blockLast())
                .isInstanceOf(TestModel.Overloaded.class);

        await().untilAsserted(() -> assertThat(unresolved()).isEqualTo(2));
        assertThat(left(tokens)).isEqualTo(100 - 1 - 30 - 2 - 30);
    }

    @Test
    void aStreamWithoutUsageCostsTheEstimateAndIsCounted() {
        stream(limiter, prompt("say:3 then:silent", 50)).blockLast();

        await().untilAsserted(() -> assertThat(unresolved()).isOne());
        assertThat(left(tokens)).isEqualTo(100 - 2 - 50);
    }

    @Test
    void aRefusedStreamNeverReachesTheModel() {
        stream(limiter, prompt("say:90", 90)).blockLast();

        assertThatThrownBy(() -> stream(limiter, prompt("say:90", 90)).blockLast())
                .isInstanceOfSatisfying(
                        RateLimitExceededException.class,
                        refused -> assertThat(refused.decision().retryAfter()).isEqualTo(Duration.ofMinutes(1)));

        assertThat(model.asked).hasValue(1);
        assertThat(left(requests)).isEqualTo(9);
    }

    @Test
    void aStreamThatIsCancelledBeforeTheDecisionGivesItUp() {
        PendingRateLimiter pending = new PendingRateLimiter();
        CountDownLatch asked = new CountDownLatch(1);
        Disposable caller = stream(asking(pending, asked), prompt("say:5", 50)).subscribe();
        join(asked);

        caller.dispose();

        await().untilAsserted(() -> assertThat(pending.answer).isCancelled());
        assertThat(model.asked).hasValue(0);
    }

    @Test
    void aDecisionThatComesTooLateIsGivenBack() {
        CompletableFuture<Decision> late = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false; // it is on its way
            }
        };
        PendingRateLimiter pending = new PendingRateLimiter();
        pending.answer = late;
        CountDownLatch asked = new CountDownLatch(1);
        List<Acquisition> acquired = new ArrayList<>();
        ForwardingRateLimiter slow = new ForwardingRateLimiter(limiter) {
            @Override
            public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
                acquired.add(acquisition);
                asked.countDown();
                return late;
            }
        };
        Disposable caller = stream(slow, prompt("say:5", 50)).subscribe();
        join(asked);
        caller.dispose();

        late.complete(limiter.acquire(acquired.get(0)));

        await().untilAsserted(() -> assertThat(left(tokens)).isEqualTo(100));
        assertThat(left(requests)).isEqualTo(10);
        assertThat(model.asked).hasValue(0);
    }

    /** The moment between the two, which no schedule of threads meets reliably. */
    @Test
    void aCallerWhoLeavesBetweenTheDecisionAndTheModelChargesNothing() {
        ChargedLimit charged = new ChargedLimit(tokens, request -> "global", true);
        ModelCall call = new ModelCalls(
                        limiter, List.of(charged), new TokenCounter(new Words(), 50), Duration.ZERO, meters)
                .start(new ChatClientRequest(new Prompt("say:5"), Map.of()));
        Decision decision = call.decideAsync().join();

        call.cancel();

        assertThat(call.begin(decision)).isFalse();
        call.complete();
        assertThat(left(tokens)).isEqualTo(100);
    }

    @Test
    void doesNotBlockAThreadThatMustNot() {
        ForwardingRateLimiter async = new ForwardingRateLimiter(limiter) {
            @Override
            public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
                return limiter.acquireAsync(acquisition);
            }

            @Override
            public Decision acquire(Acquisition acquisition) {
                throw new AssertionError("waits for the store");
            }
        };
        List<Thread> threads = new ArrayList<>();
        model.meanwhile = () -> threads.add(Thread.currentThread());

        stream(async, prompt("say:5", 50)).subscribeOn(Schedulers.parallel()).blockLast();

        assertThat(threads).singleElement().asString().contains("boundedElastic");
    }

    private static ForwardingRateLimiter asking(RateLimiter limiter, CountDownLatch asked) {
        return new ForwardingRateLimiter(limiter) {
            @Override
            public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
                asked.countDown();
                return limiter.acquireAsync(acquisition);
            }
        };
    }

    private static void join(CountDownLatch latch) {
        await().until(() -> latch.getCount() == 0);
    }

    private Flux<String> stream(RateLimiter any, Prompt prompt) {
        return stream(any, model, prompt);
    }

    private Flux<String> stream(RateLimiter any, TestModel asked, Prompt prompt) {
        return stream(any, asked, new Words(), prompt);
    }

    private Flux<String> stream(RateLimiter any, TestModel asked, Words words, Prompt prompt) {
        TokenLimitAdvisor advisor = TokenLimitAdvisor.builder(any)
                .requests(requests, "global")
                .tokens(tokens, "global")
                .tokenCountEstimator(words)
                .meterRegistry(meters)
                .build();
        return ChatClient.builder(asked).defaultAdvisors(advisor).build().prompt(prompt).stream()
                .chatResponse()
                .map(response -> response.getResult().getOutput().getText());
    }

    private double unresolved() {
        return meters.counter("rate.limiter.unresolved", "reason", "actual-cost", "limit", "tokens")
                .count();
    }

    private long left(Limit limit) {
        return limiter.peek(Acquisition.of(limit, "global")).remaining();
    }
}
