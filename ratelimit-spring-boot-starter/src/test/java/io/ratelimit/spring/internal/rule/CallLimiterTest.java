package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.spring.testing.SlowStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CallLimiterTest {

    private final SlowStore store = new SlowStore();
    private final CallLimiter limiter = new CallLimiter(store, (limit, reason) -> {});

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
}
