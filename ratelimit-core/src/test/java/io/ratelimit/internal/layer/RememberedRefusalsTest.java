package io.ratelimit.internal.layer;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.Layered;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RememberedRefusalsTest {

    private static final Limit LIMIT = Limit.of("api", Algorithm.SLIDING_WINDOW_LOG, 10, Duration.ofSeconds(60));
    private static final Limit SHORT = Limit.of("short", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1));

    private final AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);
    private final CountingRateLimiter store = new CountingRateLimiter(InMemoryRateLimiter.create(100, micros::get));
    private final Layered<RememberedRefusals> limiter =
            Layered.over(store, next -> new RememberedRefusals(next, () -> micros.get() * 1_000));

    @Test
    void asksTheStoreTwiceInTheTwoSecondsThatARefusedSubjectInsists() {
        exhaust(LIMIT, 10);
        int before = store.asked.get();

        for (int i = 0; i < 20_000; i++) {
            assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve")).allowed()).isFalse();
            micros.addAndGet(100);
        }

        assertThat(store.asked.get() - before).isEqualTo(2);
    }

    @Test
    void remembersTheRefusalsOfSeveralCostsInTurn() {
        exhaust(LIMIT, 10);
        int before = store.asked.get();

        for (int i = 0; i < 1_000; i++) {
            assertThat(refused(LIMIT, 1 + i % 3).remaining()).isZero();
            micros.addAndGet(999);
        }

        assertThat(store.asked.get() - before).isEqualTo(3);
    }

    @Test
    void remembersARefusalWhileOthersAreAdmittedByALimitThatDidNotRefuse() {
        Limit everybody = Limit.of("everybody", Algorithm.FIXED_WINDOW, 1_000_000, Duration.ofMinutes(1));
        exhaust(LIMIT, 10);
        Acquisition both = Acquisition.of(LIMIT, "eve").and(everybody, "all");
        int before = store.asked.get();

        for (int i = 0; i < 1_000; i++) {
            assertThat(limiter.acquire(both).allowed()).isFalse();
            assertThat(limiter.acquire(Acquisition.of(everybody, "all")).allowed())
                    .isTrue();
            micros.addAndGet(999);
        }

        assertThat(store.asked.get() - before).isEqualTo(1_000 + 1);
    }

    @Test
    void aLimitThatDidNotRefuseAndIsUsedUpHerePostponesARefusal() {
        Limit daily = Limit.of("daily", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(1));
        exhaust(SHORT, 10);
        Acquisition both = Acquisition.of(SHORT, "eve", 5).and(daily, "eve", 2);
        assertThat(limiter.acquire(both).retryAfter()).isEqualTo(Duration.ofMillis(500));

        assertThat(limiter.acquire(Acquisition.of(daily, "eve", 9)).allowed()).isTrue();

        assertThat(limiter.acquire(both).retryAfter()).isGreaterThan(Duration.ofMinutes(1));
    }

    @Test
    void aLimitThatDidNotRefuseAndIsBlockedHerePostponesARefusal() {
        Limit daily = Limit.of("daily", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(1));
        exhaust(SHORT, 10);
        Acquisition both = Acquisition.of(SHORT, "eve", 5).and(daily, "eve", 2);
        assertThat(limiter.acquire(both).retryAfter()).isEqualTo(Duration.ofMillis(500));

        limiter.block(daily, "eve", Duration.ofHours(1));

        assertThat(limiter.acquire(both).retryAfter()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void aCallOfALimitThatDidNotRefuseThatCostMorePostponesARefusal() {
        Limit daily = Limit.of("daily", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(1));
        exhaust(SHORT, 10);
        Acquisition ofDaily = Acquisition.of(daily, "eve");
        Decision underWay = limiter.acquire(ofDaily);
        Acquisition both = Acquisition.of(SHORT, "eve", 5).and(daily, "eve", 2);
        assertThat(limiter.acquire(both).retryAfter()).isEqualTo(Duration.ofMillis(500));

        limiter.settle(ofDaily, underWay, 9);

        assertThat(limiter.acquire(both).retryAfter()).isGreaterThan(Duration.ofMinutes(1));
    }

    @Test
    void aChargePostponesTheLaterOfTwoRefusalsThatAreRemembered() {
        assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve", 6)).allowed()).isTrue();
        refused(LIMIT, 8);
        micros.addAndGet(900_000);
        refused(LIMIT, 9);
        micros.addAndGet(600_000);

        assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve", 4)).allowed()).isTrue();

        assertThat(refused(LIMIT, 9).retryAfter()).isEqualTo(Duration.ofSeconds(60));
    }

    /** A call of another cost that is admitted makes the refused one wait longer. */
    @Test
    void aRefusalIsNotRepeatedAfterWhatItsSubjectWasChargedSince() {
        assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve", 6)).allowed()).isTrue();
        micros.addAndGet(30_000_000);
        Acquisition ofEight = Acquisition.of(LIMIT, "eve", 8);
        assertThat(limiter.acquire(ofEight).retryAfter()).isEqualTo(Duration.ofSeconds(30));
        micros.addAndGet(1);

        assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve", 4)).allowed()).isTrue();
        limiter.acquire(Acquisition.of(LIMIT, "bob"));

        Decision again = limiter.acquire(ofEight);
        assertThat(again.remaining()).isZero();
        Duration retryAfter = again.retryAfter();
        micros.addAndGet(retryAfter.toNanos() / 1_000);
        assertThat(limiter.acquire(ofEight).allowed()).isTrue();
    }

    @Test
    void whatNoStoreDecidedIsAdmittedWhileARefusalIsRemembered() {
        Layered<RememberedRefusals> open = Layered.over(
                store,
                next -> new RememberedRefusals(
                        new OnStoreFailure(
                                next,
                                InMemoryRateLimiter.create(),
                                FailurePolicy.OPEN,
                                new OutageLog(System::nanoTime)),
                        () -> micros.get() * 1_000));
        exhaust(LIMIT, 10);
        assertThat(open.acquire(Acquisition.of(LIMIT, "eve")).allowed()).isFalse();

        store.broken = true;

        assertThat(open.acquire(Acquisition.of(LIMIT, "bob")).source()).isEqualTo(Decision.Source.NONE);
    }

    @Test
    void asksTheStoreForEachRefusalUntilItBans() {
        Limit banning = LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofHours(1));
        exhaust(banning, 10);
        int before = store.asked.get();

        for (int i = 0; i < 900; i++) {
            limiter.acquire(Acquisition.of(banning, "eve"));
            micros.addAndGet(1_000);
        }

        assertThat(store.asked.get() - before).isEqualTo(3);
        assertThat(refused(banning, 1).limits().get(0).banned()).isTrue();
        limiter.unban(banning, "eve");
        assertThat(refused(banning, 1).limits().get(0).banned()).isFalse();
    }

    @Test
    void aBlockIsAskedForOnceASecondAndEndsInTime() {
        limiter.block(LIMIT, "eve", Duration.ofMillis(2_500));
        int before = store.asked.get();

        for (int i = 1; i < 2_500; i++) {
            micros.addAndGet(1_000);
            Decision refused = limiter.acquire(Acquisition.of(LIMIT, "eve"));
            assertThat(refused.retryAfter()).isEqualTo(Duration.ofMillis(2_500 - i));
            assertThat(refused.limits().get(0).blocked()).isTrue();
        }

        assertThat(store.asked.get() - before).isEqualTo(3);
        micros.addAndGet(1_000);
        assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve")).allowed()).isTrue();
    }

    @Test
    void aBlockMadeHereHoldsInPlaceOfARememberedRefusal() {
        exhaust(SHORT, 10);
        assertThat(refused(SHORT, 1).retryAfter()).isEqualTo(Duration.ofMillis(100));

        limiter.block(SHORT, "eve", Duration.ofSeconds(30));

        assertThat(refused(SHORT, 1).retryAfter()).isEqualTo(Duration.ofSeconds(30));
    }

    /** The limit itself refuses for longer than the ban, and each such refusal counts for the next ban. */
    @Test
    void forgetsARefusalWithTheBanThatEndsBeforeTheLimitAdmits() {
        Limit banning = Limit.of("login", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(200))
                .withBan(2, Duration.ofSeconds(10), Duration.ofMillis(2_500), Duration.ofSeconds(60));
        RateLimiter alone = InMemoryRateLimiter.create(100, micros::get);
        Acquisition login = Acquisition.of(banning, "eve");

        for (int i = 0; i < 700; i++) {
            LimitStatus expected = alone.acquire(login).limits().get(0);
            LimitStatus answered = limiter.acquire(login).limits().get(0);
            assertThat(answered).as("call %d", i).isEqualTo(expected);
            micros.addAndGet(7_000);
        }
        assertThat(refused(banning, 1).limits().get(0).bannedFor()).isGreaterThan(Duration.ofSeconds(50));
    }

    @Test
    void forgetsARefusalOfSeveralLimitsWithTheFirstThatAdmits() {
        exhaust(SHORT, 10);
        exhaust(LIMIT, 10);
        Acquisition both = Acquisition.of(LIMIT, "eve").and(SHORT, "eve");
        Decision refused = limiter.acquire(both);
        assertThat(refused.refusing()).hasSize(2);

        micros.addAndGet(refused.limits().get(1).retryAfter().toNanos() / 1_000);

        assertThat(limiter.acquire(both)).isEqualTo(store.acquire(both));
    }

    /** What other calls take of the limit meanwhile makes it refuse too, which counts. */
    @Test
    void asksTheStoreWhileAnotherLimitOfTheCallCouldBan() {
        Limit banning = Limit.of("banning", LIMIT.algorithm(), 10, Duration.ofMinutes(1))
                .withBan(1, Duration.ofMinutes(10), Duration.ofHours(1));
        Acquisition both = Acquisition.of(LIMIT, "eve").and(banning, "eve");
        exhaust(LIMIT, 10);
        assertThat(limiter.acquire(both).allowed()).isFalse();

        limiter.acquire(Acquisition.of(banning, "eve", 10));

        assertThat(limiter.acquire(both).limits().get(1).banned()).isTrue();
    }

    @Test
    void remembersARefusalThatNoBanCounts() {
        Limit banning =
                LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofHours(1)).banningFailures();
        exhaust(banning, 10);
        int before = store.asked.get();

        for (int i = 0; i < 900; i++) {
            limiter.acquire(Acquisition.of(banning, "eve"));
            micros.addAndGet(1_000);
        }

        assertThat(store.asked.get() - before).isEqualTo(1);
    }

    @Test
    void tellsAWaitThatShrinksWithTime() {
        exhaust(LIMIT, 10);
        assertThat(refused(LIMIT, 1).retryAfter()).isEqualTo(Duration.ofSeconds(60));

        micros.addAndGet(400_000);

        assertThat(refused(LIMIT, 1).retryAfter()).isEqualTo(Duration.ofMillis(59_600));
    }

    @Test
    void admitsAtTheInstantTheRefusalNamed() {
        exhaust(SHORT, 10);
        Duration wait = refused(SHORT, 1).retryAfter();

        micros.addAndGet(wait.toNanos() / 1_000 - 1);
        assertThat(limiter.acquire(Acquisition.of(SHORT, "eve")).allowed()).isFalse();
        micros.addAndGet(1);

        assertThat(limiter.acquire(Acquisition.of(SHORT, "eve")).allowed()).isTrue();
    }

    @Test
    void doesNotRefuseACheaperCallForADearerOne() {
        exhaust(LIMIT, 8);
        refused(LIMIT, 5);

        assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve", 2)).allowed()).isTrue();
    }

    @Test
    void tellsADearerCallAWaitOfItsOwn() {
        for (int i = 0; i < 10; i++) {
            limiter.acquire(Acquisition.of(LIMIT, "eve"));
            micros.addAndGet(1_000_000);
        }
        assertThat(refused(LIMIT, 1).retryAfter()).isEqualTo(Duration.ofSeconds(50));

        assertThat(refused(LIMIT, 3).retryAfter()).isEqualTo(Duration.ofSeconds(52));
    }

    @Test
    void forgetsARefusalWhenTheSubjectIsRefunded() {
        Decision taken = limiter.acquire(Acquisition.of(LIMIT, "eve", 10));
        refused(LIMIT, 1);
        micros.addAndGet(1_000);

        limiter.refund(Acquisition.of(LIMIT, "eve", 10), taken);

        assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve")).allowed()).isTrue();
    }

    @Test
    void forgetsARefusalWhenTheSubjectIsReset() {
        exhaust(LIMIT, 10);
        refused(LIMIT, 1);
        micros.addAndGet(1_000);

        limiter.reset(LIMIT, "eve");

        assertThat(limiter.acquire(Acquisition.of(LIMIT, "eve")).allowed()).isTrue();
    }

    @Test
    void forgetsARefusalWhenTheSubjectIsBanned() {
        Limit banning =
                LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofHours(1)).banningFailures();
        exhaust(banning, 10);
        refused(banning, 1);

        limiter.ban(banning, "eve");

        assertThat(refused(banning, 1).limits().get(0).banned()).isTrue();
    }

    @Test
    void answersACallThatDoesNotBlockFromMemoryToo() {
        exhaust(LIMIT, 10);
        refused(LIMIT, 1);
        int before = store.asked.get();

        CompletionStage<Decision> again = limiter.acquireAsync(Acquisition.of(LIMIT, "eve"));

        assertThat(again).isCompletedWithValueMatching(decision -> !decision.allowed());
        assertThat(store.asked).hasValue(before);
        assertThat(limiter.acquireAsync(Acquisition.of(LIMIT, "bob"))).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void remembersAMillionCharactersAtMost() {
        for (int i = 0; i < 200; i++) {
            String subject = "x".repeat(10_000) + i;
            limiter.acquire(Acquisition.of(LIMIT, subject, 10));
            assertThat(limiter.acquire(Acquisition.of(LIMIT, subject)).allowed())
                    .isFalse();
        }

        assertThat(limiter.layer().remembered()).isBetween(1L, 100L);
    }

    @Test
    void doesNotRememberWhatAnyOtherCallMayFree() {
        Limit oneAtOnce = Limit.of("at-once", Algorithm.CONCURRENCY, 1, Duration.ofMinutes(1));
        Acquisition one = Acquisition.of(oneAtOnce, "eve");
        Decision elsewhere = store.acquire(one);
        refused(oneAtOnce, 1);

        store.release(one, elsewhere);

        assertThat(limiter.acquire(one).allowed()).isTrue();
    }

    @Test
    void doesNotRememberWhatWasRefusedWithoutTheStore() {
        CountingRateLimiter failing = new CountingRateLimiter(store);
        RateLimiter local = InMemoryRateLimiter.create(100, micros::get);
        RateLimiter stack = Layered.over(
                failing,
                next -> new RememberedRefusals(
                        new OnStoreFailure(next, local, FailurePolicy.LOCAL, new OutageLog(System::nanoTime)),
                        () -> micros.get() * 1_000));
        failing.broken = true;
        assertThat(stack.acquire(Acquisition.of(LIMIT, "eve", 10)).allowed()).isTrue();
        assertThat(stack.acquire(Acquisition.of(LIMIT, "eve")).allowed()).isFalse();

        failing.broken = false;

        assertThat(stack.acquire(Acquisition.of(LIMIT, "eve")).allowed()).isTrue();
    }

    @Test
    void leavesOtherSubjectsAlone() {
        exhaust(LIMIT, 10);
        refused(LIMIT, 1);

        assertThat(limiter.acquire(Acquisition.of(LIMIT, "bob")).allowed()).isTrue();
    }

    private void exhaust(Limit limit, long cost) {
        assertThat(limiter.acquire(Acquisition.of(limit, "eve", cost)).allowed())
                .isTrue();
    }

    private Decision refused(Limit limit, long cost) {
        Decision decision = limiter.acquire(Acquisition.of(limit, "eve", cost));
        assertThat(decision.allowed()).isFalse();
        return decision;
    }
}
