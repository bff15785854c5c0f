package io.ratelimit.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.ForwardingRateLimiter;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.SlowRateLimiter;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Who comes while a lease is being refilled. */
class LeaseRefillTest {

    private static final Limit LIMIT =
            Limit.of("api", Algorithm.FIXED_WINDOW, 100, Duration.ofHours(1)).withLease(10);

    private static final Limit RAISED =
            Limit.of("api", Algorithm.FIXED_WINDOW, 200, Duration.ofHours(1)).withLease(10);

    private final ManualTime time = new ManualTime(TestTime.at("12:00:00"));
    private final RateLimiter memory = InMemoryRateLimiter.create(100, time.clock());
    private final SlowRateLimiter slow = new SlowRateLimiter(memory);
    private final LeasingRateLimiter leasing =
            new LeasingRateLimiter(slow, time::nanos, time.scheduler(), Runnable::run, 100, Duration.ofHours(1));

    @Test
    void callersThatComeDuringARefillWaitForThatOne() {
        List<CompletableFuture<Decision>> answers = asked(8);
        assertThat(slow.unanswered()).isEqualTo(1);
        slow.answer();

        assertThat(answers).allMatch(answer -> answer.join().allowed());
        assertThat(answers.get(7).join().remaining()).isEqualTo(92);
        assertThat(slow.unanswered()).isZero();
    }

    @Test
    void callersThatALeaseDoesNotSufficeForWaitForTheNext() {
        List<CompletableFuture<Decision>> answers = asked(25);

        slow.answer();
        assertThat(answers.stream().filter(CompletableFuture::isDone)).hasSize(10);
        assertThat(slow.unanswered()).isEqualTo(1);
        slow.answer();
        slow.answer();

        assertThat(answers).allMatch(answer -> answer.join().allowed());
        assertThat(used()).isEqualTo(30);
    }

    @Test
    void callersOfARefillThatIsRefusedAreEachAnsweredByTheStore() {
        memory.acquire(Acquisition.of(LIMIT, "eve", 95));
        List<CompletableFuture<Decision>> answers = asked(8);

        slow.answer();
        assertThat(slow.unanswered()).isEqualTo(8);
        IntStream.range(0, 8).forEach(i -> slow.answer());

        assertThat(answers.stream().filter(answer -> answer.join().allowed())).hasSize(5);
    }

    /** Otherwise a refund that is made before the call would not hold for it. */
    @Test
    void aRefusalThatWasDecidedBeforeACallIsNotItsAnswer() {
        CompletableFuture<Void> arrived = new CompletableFuture<>();
        LeasingRateLimiter refilling = new LeasingRateLimiter(
                new ForwardingRateLimiter(memory) {
                    @Override
                    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
                        Decision decision = limiter.acquire(acquisition);
                        return arrived.thenApply(done -> decision);
                    }
                },
                time::nanos,
                time.scheduler(),
                Runnable::run,
                100);
        Acquisition others = Acquisition.of(LIMIT, "eve", 95);
        Decision charged = memory.acquire(others);
        refilling.acquireAsync(Acquisition.of(LIMIT, "eve"));

        memory.refund(others, charged);
        CompletionStage<Decision> later = refilling.acquireAsync(Acquisition.of(LIMIT, "eve", 10));
        arrived.complete(null);

        assertThat(later).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void aFailureOfTheStoreIsThatOfAllWhoWaitAndTheNextCallAsksAgain() {
        List<CompletableFuture<Decision>> answers = asked(3);

        slow.fail(new StoreUnavailableException("gone"));

        assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThatThrownBy(() -> answers.get(2).join()).hasRootCauseInstanceOf(StoreUnavailableException.class);
        List<CompletableFuture<Decision>> later = asked(1);
        slow.answer();
        assertThat(later.get(0).join().allowed()).isTrue();
    }

    /** Otherwise this instance would hold two leases of one subject. */
    @Test
    void aLeaseOfOtherNumbersIsChargedWhenTheOneBeforeHasGoneBack() {
        List<CompletableFuture<Decision>> answers = asked(2);

        CompletionStage<Decision> other = leasing.acquireAsync(Acquisition.of(RAISED, "eve"));
        assertThat(slow.unanswered()).isEqualTo(1);
        slow.answer();
        assertThat(answers).allMatch(answer -> answer.join().allowed());
        assertThat(used()).isEqualTo(2);
        slow.answer();

        assertThat(other).isCompletedWithValueMatching(Decision::allowed);
        assertThat(used()).isEqualTo(2 + 10);
    }

    @Test
    void closingWaitsUntilTheRestOfARefillUnderWayHasGoneBack() throws InterruptedException {
        List<CompletableFuture<Decision>> answers = asked(2);

        Thread closing = closing();
        assertThat(closing.isAlive()).isTrue();
        slow.answer();
        closing.join();

        assertThat(answers).allMatch(answer -> answer.join().allowed());
        assertThat(used()).isEqualTo(2);
    }

    @Test
    void closingWaitsUntilARefillUnderWayHasFailed() throws InterruptedException {
        asked(2);

        Thread closing = closing();
        assertThat(closing.isAlive()).isTrue();
        slow.fail(new StoreUnavailableException("gone"));
        closing.join(Duration.ofMinutes(1).toMillis());

        assertThat(closing.isAlive()).isFalse();
    }

    /** It is not known whether it was charged before the reset; giving it back twice would admit too many. */
    @Test
    void aRefillUnderWayAtAResetIsNotGivenBack() {
        List<CompletableFuture<Decision>> answers = asked(2);

        leasing.reset(LIMIT, "eve");
        slow.answer();

        assertThat(answers).allMatch(answer -> answer.join().allowed());
        assertThat(used()).isEqualTo(10);
    }

    @Test
    void whoStillWaitsAfterAResetIsChargedWhatItCosts() {
        List<CompletableFuture<Decision>> answers = asked(15);

        leasing.reset(LIMIT, "eve");
        slow.answer();
        assertThat(slow.unanswered()).as("those that the refill did not serve").isEqualTo(5);
        IntStream.range(0, 5).forEach(i -> slow.answer());

        assertThat(answers).allMatch(answer -> answer.join().allowed());
        assertThat(used()).isEqualTo(15);
    }

    /** Given back after the reset, it would be taken off what others have charged since. */
    @Test
    void aResetWaitsForWhatARefillGivesBack() {
        CompletableFuture<Void> refund = new CompletableFuture<>();
        AtomicInteger resets = new AtomicInteger();
        LeasingRateLimiter refunding = new LeasingRateLimiter(
                new ForwardingRateLimiter(memory) {
                    @Override
                    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
                        return limiter.acquireAsync(acquisition);
                    }

                    @Override
                    public CompletionStage<Void> settleAsync(
                            Acquisition acquisition, Decision decision, long... actual) {
                        return refund;
                    }

                    @Override
                    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
                        resets.incrementAndGet();
                        return limiter.resetAsync(limit, subject);
                    }
                },
                time::nanos,
                time.scheduler(),
                Runnable::run,
                100);
        refunding.acquire(Acquisition.of(LIMIT, "eve", 7));
        CompletionStage<Decision> refilling = refunding.acquireAsync(Acquisition.of(LIMIT, "eve", 5));

        CompletionStage<Void> reset = refunding.resetAsync(LIMIT, "eve");
        assertThat(resets).hasValue(0);
        refund.complete(null);

        assertThat(resets).hasValue(1);
        assertThat(reset).isCompleted();
        assertThat(refilling).isCompleted();
    }

    @Test
    void aLeaseMadeDuringAResetIsNotGivenBack() {
        CompletableFuture<Void> reset = new CompletableFuture<>();
        LeasingRateLimiter resetting = new LeasingRateLimiter(
                new ForwardingRateLimiter(memory) {
                    @Override
                    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
                        return limiter.acquireAsync(acquisition);
                    }

                    @Override
                    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
                        return reset;
                    }
                },
                time::nanos,
                time.scheduler(),
                Runnable::run,
                100);
        CompletionStage<Void> done = resetting.resetAsync(LIMIT, "eve");
        resetting.acquire(Acquisition.of(LIMIT, "eve"));

        reset.complete(null);
        time.passSeconds(1);

        assertThat(done).isCompleted();
        assertThat(used()).isEqualTo(10);
        assertThat(resetting.leases()).isZero();
    }

    private List<CompletableFuture<Decision>> asked(int calls) {
        return Stream.generate(
                        () -> leasing.acquireAsync(Acquisition.of(LIMIT, "eve")).toCompletableFuture())
                .limit(calls)
                .toList();
    }

    /** Returns a thread that closes the limiter, once it waits or has ended. */
    private Thread closing() {
        Thread closing = new Thread(leasing::close);
        closing.start();
        Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> closing.getState() != Thread.State.RUNNABLE);
        return closing;
    }

    private long used() {
        return 100 - memory.peek(Acquisition.of(LIMIT, "eve")).remaining();
    }
}
