package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.PendingRateLimiter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CircuitBreakingRateLimiterTest {

    private static final Acquisition ONE =
            Acquisition.of(Limit.of("many", Algorithm.TOKEN_BUCKET, 1_000_000, Duration.ofHours(1)), "alice");

    private final AtomicLong millis = new AtomicLong(1_773_489_600_000L);
    private final CountingRateLimiter store = new CountingRateLimiter(InMemoryRateLimiter.create());
    private final RateLimiter limiter = new CircuitBreakingRateLimiter(store, new SetClock());

    @Test
    void doesNotAskAStoreThatKeepsFailing() {
        store.broken = true;
        fail(10);

        fail(1_000);

        assertThat(store.asked).hasValue(10);
    }

    @Test
    void oneFailureChangesNothing() {
        store.broken = true;
        fail(1);
        store.broken = false;

        succeed(1);
    }

    @Test
    void aThirdOfTheCallsFailingChangesNothing() {
        for (int i = 0; i < 300; i++) {
            store.broken = i % 3 == 0;
            limiter.acquireAsync(ONE);
        }

        assertThat(store.asked).hasValue(300);
    }

    @Test
    void triesOneCallAfterAQuarterOfASecondAndGoesOnIfThatSucceeds() {
        store.broken = true;
        fail(10);
        store.broken = false;
        millis.addAndGet(250);
        fail(1);

        millis.addAndGet(1);

        succeed(1_000);
    }

    @Test
    void asksAFailingStoreOnceEachQuarterOfASecond() {
        store.broken = true;
        fail(10);

        for (int i = 0; i < 10; i++) {
            millis.addAndGet(251);
            fail(100);
        }

        assertThat(store.asked).hasValue(20);
    }

    @Test
    void asksNobodyElseWhileTheOneTryIsUnderWay() {
        PendingRateLimiter pending = new PendingRateLimiter();
        RateLimiter slow = new CircuitBreakingRateLimiter(pending, new SetClock());
        for (int i = 0; i < 10; i++) {
            slow.acquireAsync(ONE);
            pending.answer.completeExceptionally(new StoreUnavailableException("broken by the test"));
            pending.answer = new CompletableFuture<>();
        }
        millis.addAndGet(251);

        CompletableFuture<Decision> probe = slow.acquireAsync(ONE).toCompletableFuture();

        assertThatThrownBy(() -> slow.acquire(ONE)).isInstanceOf(StoreUnavailableException.class);
        assertThat(probe).isNotDone();
        pending.answer.complete(Decision.unanswered());
        assertThat(slow.acquire(ONE)).isEqualTo(Decision.unanswered());
    }

    @Test
    void failuresThatAreNotTheStoresChangeNothing() {
        PendingRateLimiter wrong = new PendingRateLimiter();
        wrong.answer.completeExceptionally(new IllegalArgumentException("wrong by the test"));
        RateLimiter guarded = new CircuitBreakingRateLimiter(wrong, new SetClock());

        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(() -> guarded.acquire(ONE)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aRefundOfNothingIsNoSignOfLife() {
        store.broken = true;
        fail(10);
        millis.addAndGet(251);

        limiter.refund(ONE, Decision.unanswered());

        fail(1);
        assertThat(store.asked).hasValue(11);
    }

    @Test
    void aSystemClockThatIsSetNeitherOpensNorKeepsItOpen() {
        SteadyClock clock = new SteadyClock();
        Instant before = clock.instant();

        assertThat(clock.instant()).isAfterOrEqualTo(before).isBefore(before.plusSeconds(60));
        assertThat(clock.withZone(ZoneOffset.MAX)).isSameAs(clock);
    }

    private void fail(int calls) {
        for (int i = 0; i < calls; i++) {
            assertThatThrownBy(() -> limiter.acquire(ONE)).isInstanceOf(StoreUnavailableException.class);
        }
    }

    private void succeed(int calls) {
        for (int i = 0; i < calls; i++) {
            assertThat(limiter.acquire(ONE).allowed()).isTrue();
        }
    }

    private final class SetClock extends Clock {
        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis.get());
        }

        @Override
        public ZoneOffset getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
