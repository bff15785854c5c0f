package io.ratelimit.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.InTurn;
import io.ratelimit.testing.LimiterStore;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.SlowRateLimiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Calls that come, leave and look again while others ahead of them are on their way to the store. */
class WaitingInFlightTest {

    private static final Acquisition ONE =
            Acquisition.of(Limit.of("one", Algorithm.TOKEN_BUCKET, 1, Duration.ofSeconds(1)), "alice");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTime time = new ManualTime(0);
    private final InMemoryRateLimiter memory = InMemoryRateLimiter.create(1_000, time.clock());
    private final SlowRateLimiter slow = new SlowRateLimiter(memory);
    private final WaitingRateLimiter limiter =
            new WaitingRateLimiter(slow, time.scheduler(), time::nanos, new InTurn());

    @Test
    void aCallWhoseFirstAttemptIsInFlightHasItsPlaceInLine() {
        memory.acquire(ONE);
        CompletableFuture<Decision> first = limiter.acquireAsync(ONE, MINUTE).toCompletableFuture();
        CompletableFuture<Decision> second = limiter.acquireAsync(ONE, MINUTE).toCompletableFuture();
        slow.answer();
        CompletableFuture<Decision> third = limiter.acquireAsync(ONE, MINUTE).toCompletableFuture();
        slow.answer();

        time.passSeconds(1);
        slow.answer();
        assertThat(first).isCompletedWithValueMatching(Decision::allowed);
        slow.answer(); // who is first now asks at once
        time.passSeconds(1);
        slow.answer();

        assertThat(second).isCompletedWithValueMatching(Decision::allowed);
        assertThat(third).isNotDone();
    }

    @Test
    void aCallThatALayerFailsToAnswerLeavesItsPlace() {
        AtomicBoolean broken = new AtomicBoolean();
        WaitingRateLimiter failing = new WaitingRateLimiter(
                new Layer(new LimiterStore(slow)) {
                    @Override
                    public void call(Call call) {
                        passOn(call);
                    }

                    @Override
                    protected void answered(Call call) {
                        if (broken.get()) {
                            throw new IllegalStateException("broken by the test");
                        }
                        back(call);
                    }
                },
                time.scheduler(),
                time::nanos,
                new InTurn());
        memory.acquire(ONE);
        CompletableFuture<Decision> first = failing.acquireAsync(ONE, MINUTE).toCompletableFuture();
        slow.answer();
        broken.set(true);
        time.passSeconds(1);
        slow.answer();
        assertThat(first).isCompletedExceptionally();
        broken.set(false);
        time.passSeconds(1);

        CompletableFuture<Decision> second = failing.acquireAsync(ONE, MINUTE).toCompletableFuture();
        slow.answer();

        assertThat(second).isCompletedWithValueMatching(Decision::allowed);
        assertThat(failing.waiting()).isZero();
    }

    @Test
    void aCallThatHasWaitedIsNotOvertakenDuringItsFirstAttempt() {
        memory.acquire(ONE);
        limiter.acquireAsync(ONE, MINUTE);
        slow.answer();
        limiter.acquireAsync(ONE, MINUTE);
        time.passSeconds(1);
        slow.answer();
        assertThat(slow.unanswered()).isEqualTo(1); // the second is first now

        limiter.acquireAsync(ONE, MINUTE);

        assertThat(slow.unanswered()).isEqualTo(1);
        assertThat(limiter.waiting()).isEqualTo(2);
    }

    @Test
    void aCallThatLooksAgainWhetherItFitsDoesNotOvertake() {
        memory.acquire(ONE);
        limiter.acquireAsync(ONE, MINUTE);
        limiter.acquireAsync(ONE, MINUTE);
        limiter.acquireAsync(ONE, MINUTE);
        slow.answer();
        limiter.acquireAsync(ONE, MINUTE); // behind the first, and two that may be admitted before it

        new InTurn()
                .execute(
                        () -> { // each makes it look again, and it has not looked for the first yet
                            slow.answer();
                            slow.answer();
                        });

        assertThat(slow.unanswered()).isZero();
        assertThat(limiter.waiting()).isEqualTo(4);
    }

    @Test
    void aCallThatDoesNotFitBehindThoseInFlightIsRefusedWhenTheseHaveBeen() {
        memory.acquire(ONE);
        limiter.acquireAsync(ONE, Duration.ofSeconds(2));
        limiter.acquireAsync(ONE, Duration.ofSeconds(2));
        CompletableFuture<Decision> third =
                limiter.acquireAsync(ONE, Duration.ofSeconds(2)).toCompletableFuture();

        slow.answer();
        slow.answer();
        slow.answer();

        assertThat(third).isCompletedWithValueMatching(decision -> !decision.allowed());
    }

    @Test
    void whatIsChargedForACallThatHasGivenUpIsGivenBack() {
        CompletableFuture<Decision> first = limiter.acquireAsync(ONE, MINUTE).toCompletableFuture();
        first.cancel(true);
        slow.answer();
        assertThat(memory.peek(ONE).allowed()).isTrue();

        memory.acquire(ONE);
        CompletableFuture<Decision> waiting = limiter.acquireAsync(ONE, MINUTE).toCompletableFuture();
        slow.answer();
        time.passSeconds(1);
        waiting.cancel(true);
        slow.answer();

        assertThat(memory.peek(ONE).allowed()).isTrue();
    }

    @Test
    void aReleaseThatComesWhileTheStoreIsAskedIsNoticed() {
        Acquisition slot = Acquisition.of(Limit.of("slot", Algorithm.CONCURRENCY, 1, Duration.ofHours(1)), "alice");
        Decision held = memory.acquire(slot);
        CompletableFuture<Decision> waiting = limiter.acquireAsync(slot, MINUTE).toCompletableFuture();
        slow.answer();
        Decision other = memory.acquire(
                Acquisition.of(Limit.of("slot", Algorithm.CONCURRENCY, 2, Duration.ofHours(1)), "alice"));
        limiter.release(slot, held); // while the store is asked
        slow.answer();
        assertThat(waiting).isNotDone();

        limiter.release(slot, other);
        assertThat(slow.unanswered()).isEqualTo(1);
        slow.answer();

        assertThat(waiting.join().allowed()).isTrue();
    }
}
