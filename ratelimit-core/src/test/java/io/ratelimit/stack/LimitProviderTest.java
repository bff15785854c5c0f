package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.LimitProvider.Numbers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A stack whose limits have numbers of their own for some subjects. */
class LimitProviderTest {

    private static final Limit FIVE = Limit.of("five", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofHours(1));
    private static final Acquisition ALICE = Acquisition.of(FIVE, "alice");

    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger lookUps = new AtomicInteger();
    private volatile UnaryOperator<Limit> overrides = UnaryOperator.identity();
    private RateLimiterStack stack;

    private RateLimiterStack stack(Duration timeout, LimitProvider provider) {
        stack = RateLimiterStack.inMemory()
                .timeout(timeout)
                .numbers(() -> overrides)
                .provider((limit, subject) -> {
                    lookUps.incrementAndGet();
                    return provider.numbers(limit, subject);
                })
                .build();
        return stack;
    }

    @AfterEach
    void close() {
        go.countDown();
        stack.close();
    }

    private Optional<Numbers> whenItMay(long maxRequests) throws InterruptedException {
        go.await();
        return Optional.of(Numbers.of(maxRequests));
    }

    @Test
    void theFirstCallOfASubjectWaitsForItsNumbers() {
        go.countDown();
        stack(Duration.ofMinutes(1), (limit, subject) -> whenItMay(9));
        assertThat(stack.acquire(ALICE).remaining()).isEqualTo(8);
        assertThat(stack.acquire(ALICE).limits().get(0).limit().plan()).contains("provider");
        assertThat(lookUps).hasValue(1);
    }

    /** The numbers may come while a call asks for them. */
    @Test
    void noFirstCallMissesNumbersThatComeMeanwhile() {
        stack(Duration.ofMinutes(1), (limit, subject) -> Optional.of(Numbers.of(9)));
        for (int i = 0; i < 20_000; i++) {
            assertThat(stack.acquire(Acquisition.of(FIVE, "subject " + i)).remaining())
                    .isEqualTo(8);
        }
    }

    @Test
    void aCallThatDoesNotBlockIsDecidedLater() {
        stack(Duration.ofMinutes(1), (limit, subject) -> whenItMay(9));
        CompletableFuture<Decision> decision = stack.acquireAsync(ALICE).toCompletableFuture();
        assertThat(decision).isNotDone();
        go.countDown();
        assertThat(decision.join().remaining()).isEqualTo(8);
    }

    @Test
    void theLimitsOwnNumbersDecideWhenItDoesNotAnswerAndUsageIsKept() {
        stack(Duration.ofMillis(20), (limit, subject) -> whenItMay(9));
        assertThat(stack.acquire(ALICE).remaining()).isEqualTo(4);
        assertThat(stack.acquire(ALICE).remaining()).isEqualTo(3);
        go.countDown();
        await().until(() -> stack.peek(ALICE).remaining() == 7);
        assertThat(stack.acquire(ALICE).remaining()).isEqualTo(6);
    }

    @Test
    void onlyTheFirstCallWaits() {
        stack(Duration.ofSeconds(2), (limit, subject) -> whenItMay(9));
        stack.acquire(ALICE);
        CompletableFuture<Decision> second = stack.acquireAsync(ALICE).toCompletableFuture();
        assertThat(second).isDone();
    }

    @Test
    @Tag("alone")
    void noCallWaitsLongerThanTheTimeout() {
        stack(Duration.ofMillis(500), (limit, subject) -> whenItMay(9));
        stack.peek(Acquisition.of(FIVE, "warm up"));
        for (int i = 0; i < 5; i++) {
            long began = System.nanoTime();
            stack.acquire(Acquisition.of(FIVE, "subject " + i));
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(500));
        }
    }

    @Test
    void anOverrideWinsAndAsksForNothing() {
        go.countDown();
        stack(Duration.ofMinutes(1), (limit, subject) -> whenItMay(9));
        overrides = limit -> Limit.of(limit.name(), limit.algorithm(), 5, limit.windowSize());
        assertThat(stack.acquire(ALICE).remaining()).isEqualTo(4);
        assertThat(lookUps).hasValue(0);
        overrides = UnaryOperator.identity();
        assertThat(stack.acquire(ALICE).remaining()).isEqualTo(7);
    }

    @Test
    void aPlanHasWhatIsProvidedForItsSubject() {
        go.countDown();
        stack(Duration.ofMinutes(1), (limit, subject) -> whenItMay(9));
        Decision gold = stack.acquire(Acquisition.of(FIVE.withPlan("gold", 7), "alice"));
        assertThat(gold.remaining()).isEqualTo(8);
    }

    @Test
    void anInterruptBeforeTheNumbersAreKnownEndsTheWaitForQuota() {
        stack(Duration.ofSeconds(2), (limit, subject) -> whenItMay(5));
        stack.block(FIVE, "alice", Duration.ofHours(1));
        Thread.currentThread().interrupt();
        Decision refused = stack.acquire(ALICE, Duration.ofHours(2));
        assertThat(refused.allowed()).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aCallThatWaitsIsDecidedWhenTheStackIsClosed() {
        stack(Duration.ofHours(1), (limit, subject) -> whenItMay(9));
        CompletableFuture<Decision> decision = stack.acquireAsync(ALICE).toCompletableFuture();
        stack.close(); // twice is once
        assertThat(decision.join().remaining()).isEqualTo(4);
    }
}
