package io.ratelimit.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

/** Admissions stay within the limit, counted again from the whole history, for any limit and schedule. */
@Domain(Schedules.class)
@Domain(DomainContext.Global.class)
class KeptLimitsTest {

    @Property
    void usedIsExactlyWhatTheHistoryHolds(
            @ForAll Schedule schedule, @ForAll @IntRange(max = 3 * Schedule.MILLION) int later) {
        Played played = Played.of(schedule.withoutSettling());
        long now = played.nowMicros() + Schedule.part(schedule.quota().windowMicros(), later);

        assertThat(played.subject.used(now))
                .isEqualTo(played.history().used(schedule.algorithm(), schedule.quota(), now));
    }

    @Property
    void admitsNoMoreThanTheLimit(@ForAll Schedule schedule) {
        assertThat(Played.of(schedule.withoutSettling()).history().mostUsed(schedule.algorithm(), schedule.quota()))
                .isLessThanOrEqualTo(schedule.quota().capacity());
    }

    @Property
    void aCallIsAdmittedOnlyIfItFitsBesideWhatTheOthersActuallyCost(@ForAll Schedule schedule) {
        assertThat(Played.of(schedule).mostUsedAtAnAdmission())
                .isLessThanOrEqualTo(schedule.quota().capacity());
    }
}
