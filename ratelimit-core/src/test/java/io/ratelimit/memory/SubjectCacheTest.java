package io.ratelimit.memory;

import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SubjectCacheTest {

    private static final Limit FIVE_PER_MINUTE = perWindow(Duration.ofMinutes(1));

    private final AtomicLong clock = new AtomicLong(at("12:00:00"));
    private final TickingClock ticking = new TickingClock(clock::get);
    private final SubjectCache cache = new SubjectCache(FIVE_PER_MINUTE, 100, ticking);

    @Test
    void aSubjectKeepsItsCell() {
        Entry entry = cache.entry("alice");

        assertThat(cache.entry("alice")).isSameAs(entry);
        assertThat(cache.entry("bob")).isNotSameAs(entry);
    }

    @Test
    void keepsNoMoreSubjectsThanItMay() {
        for (int i = 0; i < 10_000; i++) {
            cache.entry("subject " + i);
        }

        assertThat(cache.size()).isLessThanOrEqualTo(100);
    }

    @Test
    void forgetsASubjectThatIsIdleForTwoWindows() {
        cache.entry("alice");
        clock.addAndGet(2 * MINUTE);

        assertThat(cache.size()).isZero();
    }

    @Test
    void keepsNothingOfThoseWhoWereChargedWhileTheyLeftAndNeverCameBack() {
        for (int i = 0; i < 1_000; i++) { // after a pause the cache takes the newest for as idle as it was before
            charge("first " + i);
            clock.addAndGet(MINUTE / 60);
            charge("second " + i);
            clock.addAndGet(3 * MINUTE);
        }

        assertThat(cache.size()).isLessThanOrEqualTo(2);
    }

    @Test
    void keepsIdleSubjectsLongerWhenTheWindowGrows() {
        cache.keepAsLongAs(perWindow(Duration.ofHours(1)));
        Entry entry = cache.entry("alice");
        clock.addAndGet(119 * MINUTE);
        ticking.nowMicros();

        assertThat(cache.entry("alice")).isSameAs(entry);
    }

    @Test
    void aForgottenCellSaysSoToWhoeverStillHoldsIt() {
        Entry entry = cache.entry("alice");

        cache.forget("alice");

        synchronized (entry) {
            assertThat(entry.retired).isTrue();
        }
        assertThat(cache.entry("alice")).isNotSameAs(entry);
    }

    @Test
    void aCellThatIsForgottenWhileItIsCreatedSaysSo() {
        assertCellsSaySo(() -> cache.forget("alice"));
    }

    @Test
    void aCellThatIsForgottenWithAllOthersWhileItIsCreatedSaysSo() {
        assertCellsSaySo(cache::forgetAll);
    }

    @Test
    void whatIsKeptOfIdleSubjectsIsForgottenWithAllOthers() {
        chargeAndLeaveIdleWhileItStillCounts();

        cache.forgetAll();

        assertThat(remaining()).isEqualTo(5);
    }

    @Test
    void idlenessNeverCostsACountThatMatters() {
        chargeAndLeaveIdleWhileItStillCounts();

        assertThat(remaining()).isZero();
    }

    @Test
    void whatIsKeptOfAnIdleSubjectIsForgottenOnDemand() {
        chargeAndLeaveIdleWhileItStillCounts();

        cache.forget("alice");

        assertThat(remaining()).isEqualTo(5);
    }

    @Test
    void aStoreForNobodyIsRefused() {
        assertThatThrownBy(() -> InMemoryRateLimiter.create(0, clock::get))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'0'");
    }

    /** Asks for an entry again and again while another thread forgets it. */
    private void assertCellsSaySo(Runnable forget) {
        Threads.run(2, thread -> () -> {
            Entry before = cache.entry("alice");
            for (int i = 0; i < 300_000; i++) {
                if (thread == 0) {
                    forget.run();
                } else {
                    Entry entry = cache.entry("alice");
                    synchronized (before) {
                        assertThat(entry == before || before.retired).isTrue();
                    }
                    before = entry;
                }
            }
            return true;
        });
    }

    /** A clock that went back makes it so: the entry was last used long ago, and its count is of a time to come. */
    private void chargeAndLeaveIdleWhileItStillCounts() {
        Entry entry = cache.entry("alice");
        synchronized (entry) {
            entry.tally.take(FIVE_PER_MINUTE.quota(), clock.get(), 5);
        }
        clock.addAndGet(-60 * MINUTE);
        ticking.nowMicros();
        cache.entry("alice");
        clock.addAndGet(3 * MINUTE);
        ticking.nowMicros();
    }

    private long remaining() {
        Entry entry = cache.entry("alice");
        synchronized (entry) {
            return entry.tally.remaining(
                    FIVE_PER_MINUTE.quota(), entry.tally.now(FIVE_PER_MINUTE.quota(), clock.get()));
        }
    }

    private void charge(String subject) {
        Entry entry = cache.entry(subject);
        entry.tally.take(FIVE_PER_MINUTE.quota(), entry.tally.now(FIVE_PER_MINUTE.quota(), ticking.nowMicros()), 1);
    }

    private static Limit perWindow(Duration window) {
        return Limit.of("five", Algorithm.SLIDING_WINDOW_LOG, 5, window);
    }
}
