package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What listeners have begun for a call ends also if its caller gives it up while it waits. */
class GivenUpWhileWaitingTest {

    private static final Limit ONE = Limit.of("one", Algorithm.TOKEN_BUCKET, 1, Duration.ofHours(1));
    private static final Acquisition CALL = Acquisition.of(ONE, "alice");

    private final List<String> ended = new CopyOnWriteArrayList<>();
    private final RateLimiterStack stack = RateLimiterStack.inMemory()
            .listener(new DecisionListener() {
                @Override
                public void onDecision(Acquisition acquisition, Decision decision) {}

                @Override
                public Began onCall(Acquisition acquisition) {
                    return (decision, failure) -> ended.add(text(decision) + failure);
                }
            })
            .build();

    private static String text(@Nullable Decision decision) {
        return decision == null ? "none " : decision.allowed() + " ";
    }

    @AfterEach
    void close() {
        stack.close();
    }

    @Test
    void aStageThatIsCancelled() {
        stack.acquire(CALL);
        CompletableFuture<Decision> waiting =
                stack.acquireAsync(CALL, Duration.ofDays(1)).toCompletableFuture();
        await().until(() -> stack.state().waiting() == 1);

        waiting.cancel(true);

        await().until(() -> ended.size() == 2);
        assertThat(ended).containsExactly("true null", "none null");
    }
}
