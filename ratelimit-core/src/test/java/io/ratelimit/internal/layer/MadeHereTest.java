package io.ratelimit.internal.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.ForwardingRateLimiter;
import io.ratelimit.testing.Layered;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Bans and blocks of this process, which hold in an outage, unless the store has shown that they were lifted elsewhere. */
class MadeHereTest {

    private static final Limit LIMIT = Limit.of("five", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofHours(1));
    private static final Acquisition ONE = Acquisition.of(LIMIT, "alice");
    private static final Set<Thread.State> BLOCKED_OR_TERMINATED =
            Set.of(Thread.State.BLOCKED, Thread.State.TERMINATED);

    private final CountingRateLimiter store = new CountingRateLimiter(InMemoryRateLimiter.create());
    private final Local local = new Local();
    private final Layered<OnStoreFailure> limiter = Layered.over(
            store, next -> new OnStoreFailure(next, local, FailurePolicy.LOCAL, new OutageLog(System::nanoTime)));

    @Test
    void aBlockHoldsInAnOutage() {
        limiter.block(LIMIT, "alice", Duration.ofMinutes(30));
        store.broken = true;

        Decision refused = limiter.acquire(ONE);

        assertThat(refused).matches(by(Decision.Source.LOCAL));
        assertThat(refused.retryAfter()).isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30));
    }

    @Test
    void whatAnotherInstanceHasLiftedHoldsInNoOutage() {
        Limit banning = LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofHours(1));
        limiter.ban(banning, "eve");
        limiter.block(banning, "eve", Duration.ofHours(1));
        limiter.block(LIMIT, "bob", Duration.ofHours(1));
        store.reset(banning, "eve");
        store.reset(LIMIT, "bob");
        Acquisition ofEve = Acquisition.of(banning, "eve");
        Acquisition ofBob = Acquisition.of(LIMIT, "bob");
        assertThat(limiter.acquire(ofEve)).matches(Decision::allowed).matches(by(Decision.Source.STORE));
        assertThat(limiter.acquire(ofBob)).matches(Decision::allowed).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(ofEve)).matches(Decision::allowed).matches(by(Decision.Source.LOCAL));
        assertThat(limiter.acquire(ofBob)).matches(Decision::allowed).matches(by(Decision.Source.LOCAL));
    }

    @Test
    void aBlockThatEndedByItselfIsNotLifted() {
        limiter.block(LIMIT, "alice", Duration.ZERO);
        store.broken = true;
        for (int i = 0; i < 5; i++) {
            assertThat(limiter.acquire(ONE).allowed()).isTrue();
        }
        store.broken = false;
        assertThat(limiter.acquire(ONE)).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(ONE).allowed()).isFalse();
    }

    @Test
    void aCapIsNotLiftedAfterABlockThatEndedByItself() {
        limiter.block(LIMIT, "alice", Duration.ofNanos(1_000));
        limiter.cap(LIMIT, "alice", 1, Duration.ofHours(1));
        store.broken = true;
        assertThat(limiter.acquire(ONE).allowed()).isTrue();
        store.broken = false;
        assertThat(limiter.acquire(ONE)).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(ONE).allowed()).isFalse();
    }

    @Test
    void aBanThatWasCountedInAnOutageIsNotLiftedAfterOneThatEndedByItself() {
        Limit banning = LIMIT.withBan(1, Duration.ofMinutes(10), Duration.ofMillis(1), Duration.ofHours(1));
        Acquisition all = Acquisition.of(banning, "eve", 5);
        limiter.ban(banning, "eve");
        await().until(() -> limiter.acquire(Acquisition.of(banning, "eve")).allowed());
        store.broken = true;
        await().until(() -> limiter.acquire(all).allowed());
        assertThat(limiter.acquire(all).limits().get(0).banned()).isTrue();
        store.broken = false;
        assertThat(limiter.acquire(Acquisition.of(banning, "eve"))).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(all).limits().get(0).bannedFor()).isGreaterThan(Duration.ofMinutes(1));
    }

    @Test
    void aBlockThatBeginsWhileAnotherIsLiftedHolds() throws InterruptedException {
        limiter.block(LIMIT, "alice", Duration.ofHours(1));
        store.reset(LIMIT, "alice");
        Thread blocking = new Thread(() -> limiter.block(LIMIT, "alice", Duration.ofHours(1)));
        local.whenPeeked = () -> {
            local.whenPeeked = () -> {};
            blocking.start();
            await().until(blocking::getState, BLOCKED_OR_TERMINATED::contains);
        };
        assertThat(limiter.acquire(ONE)).matches(by(Decision.Source.STORE));
        blocking.join();

        store.broken = true;

        assertThat(limiter.acquire(ONE).allowed()).isFalse();
    }

    @Test
    void aLaterBlockThatTheStoreDoesNotHaveYetIsNotLifted() {
        limiter.block(LIMIT, "alice", Duration.ofNanos(1_000));
        store.broken = true;
        assertThatThrownBy(() -> limiter.block(LIMIT, "alice", Duration.ofHours(1)))
                .isInstanceOf(StoreUnavailableException.class);
        store.broken = false;
        assertThat(limiter.acquire(ONE)).matches(Decision::allowed).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(ONE).allowed()).isFalse();
    }

    @Test
    void aBanThatIsLiftedLeavesABlockThatTheStoreDoesNotHaveYet() {
        Limit banning = LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofHours(1));
        Acquisition ofEve = Acquisition.of(banning, "eve");
        store.broken = true;
        assertThatThrownBy(() -> limiter.block(banning, "eve", Duration.ofHours(1)))
                .isInstanceOf(StoreUnavailableException.class);
        store.broken = false;
        limiter.ban(banning, "eve");
        store.unban(banning, "eve");
        assertThat(limiter.acquire(ofEve)).matches(Decision::allowed).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(ofEve).allowed()).isFalse();
    }

    @Test
    void aBlockThatACapFollowedIsLifted() {
        limiter.block(LIMIT, "alice", Duration.ofHours(1));
        limiter.cap(LIMIT, "alice", 4, Duration.ofMinutes(1));
        store.reset(LIMIT, "alice");
        assertThat(limiter.acquire(ONE)).matches(Decision::allowed).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(ONE).allowed()).isTrue();
    }

    @Test
    void ofTwoBlocksTheOneThatEndsLastIsLifted() {
        limiter.block(LIMIT, "alice", Duration.ofHours(1));
        limiter.block(LIMIT, "alice", Duration.ofNanos(1_000));
        store.reset(LIMIT, "alice");
        assertThat(limiter.acquire(ONE)).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(ONE).allowed()).isTrue();
    }

    @Test
    void aCallThatABanDoesNotHoldLiftsNone() {
        Limit banning = LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofHours(1));
        limiter.ban(banning, "alice");
        assertThat(limiter.acquire(ONE)).matches(Decision::allowed).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(Acquisition.of(banning, "alice")).allowed()).isFalse();
    }

    @Test
    void aCallAfterTheEndOfABanForgetsNoneOfThem() {
        Limit banning = LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofMillis(1), Duration.ofHours(1));
        Acquisition ofEve = Acquisition.of(banning, "eve");
        limiter.ban(banning, "eve");
        await().until(() -> limiter.acquire(ofEve).allowed());
        limiter.ban(banning, "eve");

        store.broken = true;

        assertThat(limiter.acquire(ofEve).limits().get(0).bannedFor()).isGreaterThan(Duration.ofMinutes(59));
    }

    @Test
    void anotherPlanThatIsAdmittedLiftsTheBanThatWouldHoldIt() {
        Limit hour = LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofHours(1));
        Limit minute = LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofMinutes(1));
        limiter.ban(hour, "eve");
        limiter.ban(minute, "eve");
        store.unban(hour, "eve");
        Acquisition ofHour = Acquisition.of(hour, "eve");
        assertThat(limiter.acquire(ofHour)).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(ofHour).allowed()).isTrue();
    }

    @Test
    void anUnbanLeavesABlock() {
        Limit banning = LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofHours(1));
        limiter.block(banning, "eve", Duration.ofHours(1));
        limiter.unban(banning, "eve");
        store.reset(banning, "eve");
        Acquisition ofEve = Acquisition.of(banning, "eve");
        assertThat(limiter.acquire(ofEve)).matches(by(Decision.Source.STORE));

        store.broken = true;

        assertThat(limiter.acquire(ofEve).allowed()).isTrue();
    }

    @Test
    void aBanHoldsInAnOutageAfterTheStoreHasRefusedByIt() {
        Limit banning = LIMIT.withBan(3, Duration.ofMinutes(10), Duration.ofHours(1));
        limiter.ban(banning, "eve");
        Acquisition ofEve = Acquisition.of(banning, "eve");
        assertThat(limiter.acquire(ofEve).allowed()).isFalse();

        store.broken = true;

        assertThat(limiter.acquire(ofEve).limits().get(0).banned()).isTrue();
    }

    private static Predicate<Decision> by(Decision.Source source) {
        return decision -> decision.source() == source;
    }

    private static final class Local extends ForwardingRateLimiter {

        private volatile Runnable whenPeeked = () -> {};

        Local() {
            super(InMemoryRateLimiter.create());
        }

        @Override
        public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
            return limiter.acquireAsync(acquisition);
        }

        @Override
        public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
            CompletionStage<Decision> answer = super.peekAsync(acquisition);
            whenPeeked.run();
            return answer;
        }
    }
}
