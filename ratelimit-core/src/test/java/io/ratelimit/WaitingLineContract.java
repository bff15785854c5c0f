package io.ratelimit;

import static io.ratelimit.StoreUnderTest.fivePerMinute;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What calls that wait for the same quota do to one another. */
public interface WaitingLineContract extends WaitingUnderTest {

    @Test
    default void whoComesFirstIsServedFirst() {
        useUp(ONE_PER_SECOND);
        List<String> admitted = new ArrayList<>();
        waits(ONE, 3).thenRun(() -> admitted.add("first"));
        waits(ONE, 3).thenRun(() -> admitted.add("second"));
        waits(ONE, 3).thenRun(() -> admitted.add("third"));

        time().passMicros(1_999_999);
        assertThat(admitted).containsExactly("first");
        time().passMicros(1);
        assertThat(admitted).containsExactly("first", "second");
        time().passSeconds(1);
        assertThat(admitted).containsExactly("first", "second", "third");
        assertThat(limiter().waiting()).isZero();
    }

    @Test
    default void aCallThatDoesNotFitAfterThoseAheadIsRefusedAtOnce() {
        useUp(ONE_PER_SECOND);
        waits(ONE, 2);
        waits(ONE, 2);

        Decision third = waits(ONE, 2).join();

        assertThat(third.allowed()).isFalse();
        assertThat(third.retryAfter()).isEqualTo(Duration.ofSeconds(3));
        assertThat(limiter().waiting()).isEqualTo(2);
    }

    @Test
    default void theLogAdmitsWhoWaitsAsEarlierCallsLeaveTheWindow() {
        Limit five = fivePerMinute(Algorithm.SLIDING_WINDOW_LOG);
        Acquisition two = Acquisition.of(five, "alice", 2);
        store().acquire(two);
        time().passSeconds(10);
        store().acquire(two);

        CompletableFuture<Decision> first = waits(two, 60);
        CompletableFuture<Decision> second = waits(two, 60);
        Decision third = waits(two, 60).join();

        assertThat(third.retryAfter()).isEqualTo(Duration.ofSeconds(50 + 60));
        time().passSeconds(50);
        assertThat(first.join().allowed()).isTrue();
        assertThat(second).isNotDone();
        time().passSeconds(10);
        assertThat(second.join().allowed()).isTrue();
    }

    /** The window of the clock in which the first is admitted began before that. */
    @Test
    default void theCounterAdmitsWhoWaitsBehindACallOfTheWholeQuotaInTheNextWindow() {
        Limit five = fivePerMinute(Algorithm.SLIDING_WINDOW_COUNTER);
        Acquisition all = Acquisition.of(five, "alice", 5);
        store().acquire(all);

        CompletableFuture<Decision> first = waits(all, 120);
        CompletableFuture<Decision> second = waits(Acquisition.of(five, "alice"), 121);

        time().passMicros(108_000_001);
        assertThat(first.join().allowed()).isTrue();
        time().passMicros(11_999_999);
        assertThat(second).isNotDone();
        time().passMicros(1);
        assertThat(second.join().allowed()).isTrue();
    }

    @Test
    default void aCheapCallDoesNotPassADearOneThatWaits() {
        Limit five = fivePerMinute(Algorithm.SLIDING_WINDOW_LOG);
        store().acquire(Acquisition.of(five, "alice", 3));
        CompletableFuture<Decision> dear = waits(Acquisition.of(five, "alice", 5), 60);

        CompletableFuture<Decision> cheap = waits(Acquisition.of(five, "alice"), 180);

        time().passSeconds(60);
        assertThat(dear.join().allowed()).isTrue();
        assertThat(cheap).isNotDone();
        time().passSeconds(60);
        assertThat(cheap.join().allowed()).isTrue();
    }

    @Test
    default void aCallThatDoesNotWaitMayPassThoseThatDo() {
        Limit five = fivePerMinute(Algorithm.TOKEN_BUCKET);
        useUp(five);
        CompletableFuture<Decision> dear = waits(Acquisition.of(five, "alice", 2), 36);

        time().passSeconds(12);
        assertThat(limiter().acquire(Acquisition.of(five, "alice")).allowed()).isTrue();

        time().passSeconds(23);
        assertThat(dear).isNotDone();
        time().passSeconds(1);
        assertThat(dear.join().allowed()).isTrue();
    }

    @Test
    default void aCallThatCannotBeAdmittedInTimeAnyMoreIsRefusedWhenThatIsKnown() {
        useUp(ONE_PER_SECOND);
        CompletableFuture<Decision> waiting = waits(ONE, 1);
        time().passMicros(999_999);
        store().reset(ONE_PER_SECOND, "alice");
        store().acquire(ONE); // by another process

        time().passMicros(1);

        assertThat(waiting.join().allowed()).isFalse();
        assertThat(waiting.join().retryAfter()).isEqualTo(Duration.ofNanos(999_999_000));
    }

    @Test
    default void aCallBehindOthersIsRefusedWhenItsTimeIsOver() {
        useUp(ONE_PER_SECOND);
        CompletableFuture<Decision> first = waits(ONE, 10);
        CompletableFuture<Decision> second = waits(ONE, 2);
        for (int i = 0; i < 3; i++) {
            time().passMicros(500_000);
            store().reset(ONE_PER_SECOND, "alice");
            store().acquire(ONE); // by another process
        }

        time().passMicros(499_999);
        assertThat(second).isNotDone();
        time().passMicros(1);

        assertThat(second.join().allowed()).isFalse();
        assertThat(second.join().retryAfter()).isEqualTo(Duration.ofMillis(1_500));
        assertThat(first).isNotDone();
    }

    @Test
    default void whoGivesUpLeavesItsPlaceToTheNextAndIsNotCharged() {
        useUp(ONE_PER_SECOND);
        CompletableFuture<Decision> first = waits(ONE, 1);
        CompletableFuture<Decision> second = waits(ONE, 2);

        assertThat(first.cancel(true)).isTrue();

        assertThat(first).isCancelled();
        assertThat(limiter().waiting()).isEqualTo(1);
        time().passSeconds(1);
        assertThat(second.join().allowed()).isTrue();
    }

    @Test
    default void cancellingWhatWasMadeOfTheStageGivesUpToo() {
        useUp(ONE_PER_SECOND);
        List<Throwable> failures = new ArrayList<>();
        CompletableFuture<Boolean> allowed = waits(ONE, 1)
                .whenComplete((decision, failure) -> failures.add(failure))
                .thenApply(Decision::allowed);

        assertThat(allowed.cancel(true)).isTrue();

        assertThat(allowed.isCancelled()).isTrue();
        assertThat(failures).hasSize(1);
        assertThat(limiter().waiting()).isZero();
    }

    @Test
    default void aDecisionOnItsWayToAStageIsNotLostToACancellation() {
        useUp(ONE_PER_SECOND);
        List<Boolean> cancelled = new ArrayList<>();
        AtomicReference<CompletableFuture<Decision>> made = new AtomicReference<>();
        made.set(waits(ONE, 1)
                .whenComplete((decision, failure) ->
                        cancelled.add(made.get().cancel(true)))); // as another thread may at this moment

        time().passSeconds(1);

        assertThat(cancelled).containsExactly(false);
        assertThat(made.get().join().allowed()).isTrue();
    }

    @Test
    default void whatFollowsADecidedCallIsCancelledByItself() {
        CompletableFuture<Object> after = waits(ONE, 1).thenCompose(decision -> new CompletableFuture<>());

        assertThat(after.cancel(true)).isTrue();

        assertThat(after).isCancelled();
    }

    @Test
    default void otherSubjectsHaveLinesOfTheirOwn() {
        useUp(ONE_PER_SECOND);
        waits(ONE, 1);

        assertThat(waits(Acquisition.of(ONE_PER_SECOND, "bob"), 1).join().allowed())
                .isTrue();
    }

    @Test
    default void aCallThatFindsQuotaForAllWakesThoseThatWait() {
        Limit five = fivePerMinute(Algorithm.FIXED_WINDOW);
        useUp(five);
        CompletableFuture<Decision> first = waits(Acquisition.of(five, "alice", 2), 60);
        store().reset(five, "alice"); // in another process
        time().passMicros(1);
        assertThat(first).isNotDone();

        CompletableFuture<Decision> second = waits(Acquisition.of(five, "alice", 3), 60);

        assertThat(first.join().allowed()).isTrue();
        assertThat(second.join().allowed()).isTrue();
    }

    @Test
    default void aRaisedLimitTakesEffectWithTheNextCall() {
        Limit one = Limit.of("raised", Algorithm.SLIDING_WINDOW_LOG, 1, Duration.ofSeconds(30));
        Limit thousand = Limit.of("raised", Algorithm.SLIDING_WINDOW_LOG, 1_000, Duration.ofSeconds(30));
        useUp(one);
        CompletableFuture<Decision> byTheOldNumber = waits(Acquisition.of(one, "alice"), 60);

        CompletableFuture<Decision> byTheNewOne = waits(Acquisition.of(thousand, "alice"), 3);

        assertThat(byTheNewOne).isCompletedWithValueMatching(Decision::allowed);
        assertThat(byTheOldNumber).isNotDone();
    }

    @Test
    default void atMostAThousandWaitInALine() {
        // Redis forgets a bucket when it is full again in real time, which a thousand calls may take of a second
        Limit onePerMinute = Limit.of("one", Algorithm.TOKEN_BUCKET, 1, Duration.ofMinutes(1));
        Acquisition one = Acquisition.of(onePerMinute, "alice");
        useUp(onePerMinute);
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            waiting.add(waits(one, 72_000));
        }

        Decision refused = waits(one, 72_000).join();

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(1_001));
        time().passSeconds(60_000);
        assertThat(waiting)
                .allSatisfy(admitted -> assertThat(admitted.join().allowed()).isTrue());
    }

    @Test
    default void aWindowThatOpensAdmitsAllThatWaitForIt() {
        Limit hundreds = Limit.of("hundreds", Algorithm.FIXED_WINDOW, 1_000, Duration.ofMinutes(1));
        useUp(hundreds);
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            waiting.add(waits(Acquisition.of(hundreds, "alice"), 60));
        }

        time().passSeconds(60);

        assertThat(waiting)
                .allSatisfy(admitted -> assertThat(admitted.join().allowed()).isTrue());
    }

    @Test
    default void closingDecidesAllThatWait() {
        useUp(ONE_PER_SECOND);
        List<CompletableFuture<Decision>> waiting = List.of(waits(ONE, 5), waits(ONE, 5), waits(ONE, 5));

        limiter().close();

        assertThat(waiting)
                .allSatisfy(refused -> assertThat(refused.join().allowed()).isFalse());
        assertThat(waits(ONE, 5).join().allowed()).isFalse();
    }

    @Test
    default void callsThatNameTheSameLimitsInAnotherOrderWaitInOneLine() {
        Limit five = fivePerMinute(Algorithm.SLIDING_WINDOW_LOG);
        useUp(ONE_PER_SECOND);
        CompletableFuture<Decision> first = waits(ONE.and(five, "alice", 2), 3);

        Acquisition turned = Acquisition.of(five, "alice").and(ONE_PER_SECOND, "alice");
        CompletableFuture<Decision> tooLate = waits(turned, 1);
        CompletableFuture<Decision> second = waits(turned, 2);

        assertThat(tooLate).isCompletedWithValueMatching(refused -> !refused.allowed());
        assertThat(tooLate.join().retryAfter()).isEqualTo(Duration.ofSeconds(2));
        time().passSeconds(1);
        assertThat(first.join().allowed()).isTrue();
        assertThat(second).isNotDone();
        time().passSeconds(1);
        assertThat(second.join().limits()).extracting(LimitStatus::remaining).containsExactly(2L, 0L);
    }

    @Test
    default void aResetOfOneOfSeveralLimitsIsNoticedByAllThatWaitForIt() {
        Limit five = fivePerMinute(Algorithm.FIXED_WINDOW);
        useUp(five);
        CompletableFuture<Decision> several = waits(ONE.and(five, "alice"), 60);
        CompletableFuture<Decision> alone = waits(Acquisition.of(five, "alice"), 60);

        limiter().reset(five, "alice");

        assertThat(several).isCompletedWithValueMatching(Decision::allowed);
        assertThat(alone).isCompletedWithValueMatching(Decision::allowed);
    }
}
