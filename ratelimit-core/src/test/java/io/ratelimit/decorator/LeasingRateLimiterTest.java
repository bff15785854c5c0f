package io.ratelimit.decorator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.TestTime;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LeasingRateLimiterTest {

    private static final Limit LIMIT =
            hourly("api", Algorithm.FIXED_WINDOW, 100).withLease(10);

    private final ManualTime time = new ManualTime(TestTime.at("12:00:00"));
    private final RateLimiter memory = InMemoryRateLimiter.create(100, time.clock());
    private final CountingRateLimiter store = new CountingRateLimiter(memory);
    private final LeasingRateLimiter limiter = leasing(store);

    @Test
    void asksTheStoreOnceForAsManyDecisionsAsALeaseHolds() {
        assertThat(admitted(30, LIMIT)).isEqualTo(30);

        assertThat(store.asked).hasValue(3);
        assertThat(used(LIMIT)).isEqualTo(30);
    }

    @Test
    void tellsWhatTheStoreHadLeftAndWhatIsLeftHere() {
        assertThat(acquire(LIMIT, 1).remaining()).isEqualTo(99);
        time.passMicros(400_000);

        Decision second = acquire(LIMIT, 3);

        assertThat(second.remaining()).isEqualTo(96);
        assertThat(second.limits().get(0).limit()).isEqualTo(LIMIT);
        assertThat(second.limits().get(0).resetAfter())
                .isEqualTo(Duration.ofHours(1).minusMillis(400));
        assertThat(peek(limiter, LIMIT)).isEqualTo(96);
    }

    @Test
    void givesBackWhatIsUnusedAfterASecondThoughNobodyCalls() {
        acquire(LIMIT, 3);
        assertThat(used(LIMIT)).isEqualTo(10);

        time.passMicros(999_999);
        assertThat(used(LIMIT)).isEqualTo(10);
        time.passMicros(1);

        assertThat(used(LIMIT)).isEqualTo(3);
        assertThat(acquire(LIMIT, 1).allowed()).isTrue();
        assertThat(store.asked).hasValue(2);
    }

    @Test
    void doesNotServeALeaseThatIsASecondOldThoughNoAlarmRang() {
        LeasingRateLimiter deaf = new LeasingRateLimiter(store, time.ticker(), (nanos, action) -> {}, 100);
        deaf.acquire(Acquisition.of(LIMIT, "eve", 3));
        time.passSeconds(1);

        assertThat(deaf.acquire(Acquisition.of(LIMIT, "eve")).allowed()).isTrue();

        assertThat(store.asked).hasValue(2);
        assertThat(used(LIMIT)).isEqualTo(13);
    }

    @Test
    void rearmsForALeaseThatIsNewerThanTheAlarm() {
        admitted(10, LIMIT);
        time.passMicros(500_000);
        admitted(1, LIMIT);

        time.passMicros(500_000);
        assertThat(used(LIMIT)).isEqualTo(20);
        time.passMicros(500_000);
        assertThat(used(LIMIT)).isEqualTo(11);
    }

    @ParameterizedTest
    @EnumSource
    void admitsTheWholeQuotaAndThenRefusesAsTheStoreDoes(Algorithm algorithm) {
        Limit limit = hourly("api", algorithm, 25).withLease(10);

        assertThat(admitted(40, limit)).isEqualTo(25);

        Decision refused = acquire(limit, 1);
        assertThat(refused).isEqualTo(memory.acquire(Acquisition.of(limit, "eve")));
        time.passMicros(refused.retryAfter().toNanos() / 1_000);
        assertThat(acquire(limit, 1).allowed()).isTrue();
    }

    @Test
    void usesWhatIsLeftForADearerCallAndHoldsNoMoreThanALease() {
        acquire(LIMIT, 8);

        assertThat(acquire(LIMIT, 5).allowed()).isTrue();

        assertThat(used(LIMIT)).isEqualTo(18);
        assertThat(acquire(LIMIT, 5).allowed()).isTrue();
        assertThat(store.asked).hasValue(2);
    }

    @Test
    void givesBackWhatIsLeftBeforeADearerCallIsRefused() {
        Limit limit = hourly("api", Algorithm.SLIDING_WINDOW_LOG, 10).withLease(10);
        acquire(limit, 8);

        Decision refused = acquire(limit, 5);

        assertThat(refused.allowed()).isFalse();
        assertThat(used(limit)).isEqualTo(8);
        assertThat(acquire(limit, 2).allowed()).isTrue();
    }

    @Test
    void asksTheStoreForWhatCostsMoreThanALease() {
        assertThat(acquire(LIMIT, 11).allowed()).isTrue();

        assertThat(used(LIMIT)).isEqualTo(11);
    }

    @Test
    void leavesAcquisitionsOfSeveralLimitsAndLimitsWithoutLeaseAlone() {
        Limit plain = hourly("plain", Algorithm.FIXED_WINDOW, 100);
        limiter.acquire(Acquisition.of(LIMIT, "eve").and(plain, "eve"));
        acquire(plain, 1);

        assertThat(used(LIMIT)).isEqualTo(1);
        assertThat(used(plain)).isEqualTo(2);
    }

    @Test
    void putsARefundBackIntoTheLeaseItCameFrom() {
        Decision served = acquire(LIMIT, 4);
        limiter.refund(Acquisition.of(LIMIT, "eve", 4), served);

        assertThat(used(LIMIT)).isEqualTo(10);
        assertThat(admitted(10, LIMIT)).isEqualTo(10);
        assertThat(store.asked).hasValue(1);
    }

    @Test
    void givesARefundBackToTheStoreWhenTheLeaseIsOver() {
        Decision served = acquire(LIMIT, 4);
        time.passSeconds(1);
        limiter.refund(Acquisition.of(LIMIT, "eve", 4), served);

        assertThat(used(LIMIT)).isZero();
    }

    @Test
    void givesBackAllWhenClosedAndAsksTheStoreFromThenOn() {
        acquire(LIMIT, 3);

        limiter.close();

        assertThat(used(LIMIT)).isEqualTo(3);
        acquire(LIMIT, 1);
        assertThat(used(LIMIT)).isEqualTo(4);
    }

    @Test
    void aResetEndsTheLeaseToo() {
        acquire(LIMIT, 3);

        limiter.reset(LIMIT, "eve");

        assertThat(used(LIMIT)).isZero();
        assertThat(acquire(LIMIT, 1).remaining()).isEqualTo(99);
        assertThat(store.asked).hasValue(2);
    }

    @Test
    void givesBackLeasesThatAreOneTooMany() {
        LeasingRateLimiter small = new LeasingRateLimiter(store, time.ticker(), time.alarm(), 5);
        for (int i = 0; i < 50; i++) {
            small.acquire(Acquisition.of(LIMIT, "user" + i));
        }

        long unused = IntStream.range(0, 50)
                .mapToLong(
                        i -> 99 - memory.peek(Acquisition.of(LIMIT, "user" + i)).remaining())
                .sum();
        assertThat(unused).isLessThanOrEqualTo(6 * 9);
    }

    @Test
    void callersThatComeDuringARefillWaitForThatOne() {
        SlowRateLimiter slow = new SlowRateLimiter(memory);
        LeasingRateLimiter leasing = leasing(slow);

        List<CompletableFuture<Decision>> answers = asked(leasing, 8);
        assertThat(slow.unanswered()).isEqualTo(1);
        slow.answer();

        assertThat(answers).allMatch(answer -> answer.join().allowed());
        assertThat(answers.get(7).join().remaining()).isEqualTo(92);
        assertThat(slow.unanswered()).isZero();
    }

    @Test
    void callersThatALeaseDoesNotSufficeForWaitForTheNext() {
        SlowRateLimiter slow = new SlowRateLimiter(memory);
        List<CompletableFuture<Decision>> answers = asked(leasing(slow), 25);

        slow.answer();
        assertThat(answers.stream().filter(CompletableFuture::isDone)).hasSize(10);
        assertThat(slow.unanswered()).isEqualTo(1);
        slow.answer();
        slow.answer();

        assertThat(answers).allMatch(answer -> answer.join().allowed());
        assertThat(used(LIMIT)).isEqualTo(30);
    }

    @Test
    void callersOfARefillThatIsRefusedAreEachAnsweredByTheStore() {
        memory.acquire(Acquisition.of(LIMIT, "eve", 95));
        SlowRateLimiter slow = new SlowRateLimiter(memory);
        List<CompletableFuture<Decision>> answers = asked(leasing(slow), 8);

        slow.answer();
        assertThat(slow.unanswered()).isEqualTo(8);
        IntStream.range(0, 8).forEach(i -> slow.answer());

        assertThat(answers.stream().filter(answer -> answer.join().allowed())).hasSize(5);
    }

    @Test
    void aFailureOfTheStoreIsThatOfAllWhoWaitAndTheNextCallAsksAgain() {
        SlowRateLimiter slow = new SlowRateLimiter(memory);
        LeasingRateLimiter leasing = leasing(slow);
        List<CompletableFuture<Decision>> answers = asked(leasing, 3);

        slow.fail(new StoreUnavailableException("gone"));

        assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThatThrownBy(() -> answers.get(2).join()).hasRootCauseInstanceOf(StoreUnavailableException.class);
        List<CompletableFuture<Decision>> later = asked(leasing, 1);
        slow.answer();
        assertThat(later.get(0).join().allowed()).isTrue();
    }

    @Test
    void aRefillThatComesAfterTheEndGoesBackButForWhatWasWaitedFor() {
        SlowRateLimiter slow = new SlowRateLimiter(memory);
        LeasingRateLimiter leasing = leasing(slow);
        List<CompletableFuture<Decision>> answers = asked(leasing, 2);

        leasing.close();
        slow.answer();

        assertThat(answers).allMatch(answer -> answer.join().allowed());
        assertThat(used(LIMIT)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void manyThreadsOnManyInstancesAreAdmittedNoMoreThanTheLimit(Algorithm algorithm) {
        Limit limit = hourly("hot", algorithm, 10_000).withLease(64);
        List<LeasingRateLimiter> instances =
                Stream.generate(() -> leasing(store)).limit(3).toList();

        List<Long> admitted = Threads.run(
                16,
                thread -> () -> IntStream.range(0, 1_000)
                        .filter(i -> instances
                                .get(thread % 3)
                                .acquire(Acquisition.of(limit, "eve", 1 + i % 3))
                                .allowed())
                        .mapToLong(i -> 1 + i % 3)
                        .sum());
        instances.forEach(LeasingRateLimiter::close);

        long total = admitted.stream().mapToLong(Long::longValue).sum();
        assertThat(total).isBetween(10_000L - 3 * 64, 10_000L);
        assertThat(used(limit)).isEqualTo(total);
    }

    private LeasingRateLimiter leasing(RateLimiter over) {
        return new LeasingRateLimiter(over, time.ticker(), time.alarm(), 100);
    }

    private static List<CompletableFuture<Decision>> asked(RateLimiter limiter, int calls) {
        return Stream.generate(
                        () -> limiter.acquireAsync(Acquisition.of(LIMIT, "eve")).toCompletableFuture())
                .limit(calls)
                .toList();
    }

    private Decision acquire(Limit limit, long cost) {
        return limiter.acquire(Acquisition.of(limit, "eve", cost));
    }

    private long admitted(int calls, Limit limit) {
        return IntStream.range(0, calls)
                .filter(i -> acquire(limit, 1).allowed())
                .count();
    }

    private long used(Limit limit) {
        return limit.maxRequests() - peek(memory, limit);
    }

    private static long peek(RateLimiter limiter, Limit limit) {
        return limiter.peek(Acquisition.of(limit, "eve")).remaining();
    }

    private static Limit hourly(String name, Algorithm algorithm, long maxRequests) {
        return Limit.of(name, algorithm, maxRequests, Duration.ofHours(1));
    }
}
