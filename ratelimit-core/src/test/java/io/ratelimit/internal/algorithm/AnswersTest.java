package io.ratelimit.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.TestTime;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

/** The numbers in an answer keep their promise, for every algorithm, any limit and any schedule. */
@Domain(Schedules.class)
@Domain(DomainContext.Global.class)
class AnswersTest {

    /** A call in flight may end at any moment, so {@code concurrency} promises no more than a second. */
    @Property
    void aCallIsRefusedOneMicrosecondBeforeItsRetryAfterAndAdmittedAtIt(
            @ForAll Schedule schedule, @ForAll @IntRange(max = Schedule.MILLION) int costSize) {
        Played played = Played.of(schedule);
        long now = played.nowMicros();
        long cost = schedule.cost(costSize);
        long retryAfter = played.subject.retryAfter(cost, now);

        if (schedule.algorithm().isReleased() && retryAfter >= TestTime.SECOND) {
            assertThat(retryAfter).isEqualTo(TestTime.SECOND);
            assertThat(played.subject.retryAfter(cost, now + retryAfter - 1)).isPositive();
            return;
        }
        if (retryAfter > 0) {
            assertThat(played.subject.retryAfter(cost, now + retryAfter - 1)).isEqualTo(1);
        }
        assertThat(played.subject.admits(cost, now + retryAfter)).isTrue();
    }

    @Property
    void allOfTheQuotaIsFreeAtResetAfterAndNotOneMicrosecondEarlier(@ForAll Schedule schedule) {
        Played played = Played.of(schedule);
        long now = played.nowMicros();
        long capacity = schedule.quota().capacity();
        long resetAfter = played.subject.resetAfter(now);

        if (resetAfter > 0) {
            assertThat(played.subject.remaining(now + resetAfter - 1)).isLessThan(capacity);
        }
        assertThat(played.subject.remaining(now + resetAfter)).isEqualTo(capacity);
    }

    @Property
    void remainingIsTheLargestCostThatIsAdmitted(@ForAll Schedule schedule) {
        Played played = Played.of(schedule);
        long now = played.nowMicros();
        long remaining = played.subject.remaining(now);

        if (remaining < schedule.quota().capacity()) {
            assertThat(played.subject.retryAfter(remaining + 1, now)).isPositive();
        }
        assertThat(remaining == 0 || played.subject.admits(remaining, now)).isTrue();
        assertThat(played.subject.remaining(now)).isZero();
    }

    @Property
    void askingChangesNothing(
            @ForAll Schedule schedule,
            @ForAll @IntRange(max = Schedule.MILLION) int costSize,
            @ForAll @IntRange(max = 3 * Schedule.MILLION) int later) {
        Played played = Played.of(schedule);
        long now = played.nowMicros();
        long cost = schedule.cost(costSize);
        String before = answers(played.subject, cost, now);

        answers(played.subject, cost, now + Schedule.part(schedule.quota().windowMicros(), later));

        assertThat(answers(played.subject, cost, now)).isEqualTo(before);
    }

    private static String answers(Subject subject, long cost, long nowMicros) {
        return subject.retryAfter(cost, nowMicros) + " " + subject.remaining(nowMicros) + " "
                + subject.resetAfter(nowMicros);
    }
}
