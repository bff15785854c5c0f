package io.ratelimit.memory;

import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Algorithm;
import io.ratelimit.algorithm.Quota;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TableTest {

    private static final Quota FIVE_PER_MINUTE = new Quota(5, MINUTE, 5);

    private final AtomicLong clock = new AtomicLong(at("12:00:00"));
    private final TickingClock ticking = new TickingClock(clock::get);
    private final Table table = new Table(Algorithm.SLIDING_WINDOW_LOG, FIVE_PER_MINUTE, 100, ticking);

    @Test
    void aSubjectKeepsItsCell() {
        Cell cell = table.cell("alice");

        assertThat(table.cell("alice")).isSameAs(cell);
        assertThat(table.cell("bob")).isNotSameAs(cell);
    }

    @Test
    void keepsNoMoreSubjectsThanItMay() {
        for (int i = 0; i < 10_000; i++) {
            table.cell("subject " + i);
        }

        assertThat(table.size()).isLessThanOrEqualTo(100);
    }

    @Test
    void forgetsASubjectThatIsIdleForTwoWindows() {
        table.cell("alice");
        clock.addAndGet(2 * MINUTE);

        assertThat(table.size()).isZero();
    }

    @Test
    void keepsNothingOfThoseWhoWereChargedWhileTheyLeftAndNeverCameBack() {
        for (int i = 0; i < 1_000; i++) { // after a pause the cache takes the newest for as idle as it was before
            charge("first " + i);
            clock.addAndGet(MINUTE / 60);
            charge("second " + i);
            clock.addAndGet(3 * MINUTE);
        }

        assertThat(table.size()).isLessThanOrEqualTo(2);
    }

    @Test
    void keepsIdleSubjectsLongerWhenTheWindowGrows() {
        table.keepAsLongAs(new Quota(5, 60 * MINUTE, 5));
        Cell cell = table.cell("alice");
        clock.addAndGet(119 * MINUTE);
        ticking.nowMicros();

        assertThat(table.cell("alice")).isSameAs(cell);
    }

    @Test
    void aForgottenCellSaysSoToWhoeverStillHoldsIt() {
        Cell cell = table.cell("alice");

        table.forget("alice");

        synchronized (cell) {
            assertThat(cell.retired).isTrue();
        }
        assertThat(table.cell("alice")).isNotSameAs(cell);
    }

    @Test
    void idlenessNeverCostsACountThatMatters() {
        chargeAndLeaveIdleWhileItStillCounts();

        assertThat(remaining()).isZero();
    }

    @Test
    void whatIsKeptOfAnIdleSubjectIsForgottenOnDemand() {
        chargeAndLeaveIdleWhileItStillCounts();

        table.forget("alice");

        assertThat(remaining()).isEqualTo(5);
    }

    @Test
    void aStoreForNobodyIsRefused() {
        assertThatThrownBy(() -> InMemoryRateLimiter.create(0, clock::get))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'0'");
    }

    /** A clock that went back makes it so: the cell was last used long ago, and its count is of a time to come. */
    private void chargeAndLeaveIdleWhileItStillCounts() {
        Cell cell = table.cell("alice");
        synchronized (cell) {
            cell.tally.take(FIVE_PER_MINUTE, clock.get(), 5);
        }
        clock.addAndGet(-60 * MINUTE);
        ticking.nowMicros();
        table.cell("alice");
        clock.addAndGet(3 * MINUTE);
        ticking.nowMicros();
    }

    private long remaining() {
        Cell cell = table.cell("alice");
        synchronized (cell) {
            return cell.tally.remaining(FIVE_PER_MINUTE, cell.tally.now(clock.get()));
        }
    }

    private void charge(String subject) {
        Cell cell = table.cell(subject);
        cell.tally.take(FIVE_PER_MINUTE, cell.tally.now(ticking.nowMicros()), 1);
    }
}
