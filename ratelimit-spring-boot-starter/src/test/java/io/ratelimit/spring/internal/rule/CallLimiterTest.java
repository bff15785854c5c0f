package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.spring.testing.SlowStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.expression.spel.support.StandardEvaluationContext;

class CallLimiterTest {

    private final SlowStore store = new SlowStore();
    private final CallLimiter limiter = new CallLimiter(store, (limit, reason) -> {}, Patience.LONGEST);

    @AfterEach
    void close() {
        store.close();
    }

    /** As of a scheduler that was shut down, or where no thread can be created. */
    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"CONCURRENCY", "FIXED_WINDOW"})
    void whatWasChargedIsGivenBackIfTheDecisionCannotBeHandedOver(Algorithm algorithm) {
        CallCharges one = new CallCharges(Acquisition.of(Limit.of("one", algorithm, 1, Duration.ofHours(1)), "alice"));
        RejectedExecutionException shutDown = new RejectedExecutionException("shut down");

        CompletableFuture<Decision> lost = limiter.decideAsync(
                one,
                new OpenCall(),
                stage -> stage.toCompletableFuture().whenCompleteAsync((decision, failure) -> {}, task -> {
                    throw shutDown;
                }));
        store.answer(2);

        assertThatThrownBy(lost::join).hasCause(shutDown);
        await().until(() -> store.refunds() == 1);
        assertThat(limiter.decideAsync(one, new OpenCall(), stage -> stage)
                        .join()
                        .allowed())
                .isTrue();
    }

    /** Nobody would free it later: the store is closed next. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlotThatIsTakenWhileTheApplicationStopsIsFree(boolean async) throws InterruptedException {
        Limit limit = Limit.of("one", Algorithm.CONCURRENCY, 1, Duration.ofHours(1));
        CallCharges charges = Rule.charges(List.of(oneOf(limit)), new Call(null, StandardEvaluationContext::new))
                .orElseThrow();
        CompletableFuture<Decision> decided = async
                ? limiter.decideAsync(charges, new OpenCall(), stage -> stage)
                : CompletableFuture.supplyAsync(() -> limiter.decide(charges, new OpenCall()));
        await().until(store::isAsked);

        Thread closing = new Thread(limiter::close);
        closing.start();
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
        store.answer(1);
        closing.join();

        assertThat(store.peek(charges.acquisition()).allowed()).isTrue();
        assertThat(decided).succeedsWithin(Patience.LONGEST).matches(Decision::allowed);
    }

    private static Rule oneOf(Limit limit) {
        return new Rule(
                List.of(limit),
                SubjectKey.everybody("here"),
                null,
                Cost.fixed(1, List.of(), "here"),
                FailurePolicy.CLOSED,
                call -> true,
                Settling.NONE);
    }
}
