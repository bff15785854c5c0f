package io.ratelimit.internal.algorithm;

import io.ratelimit.Algorithm;
import io.ratelimit.Quota;
import io.ratelimit.internal.algorithm.Schedule.Pause;
import io.ratelimit.internal.algorithm.Schedule.Step;
import io.ratelimit.testing.TestTime;
import java.util.List;
import net.jqwik.api.Example;

/**
 * Schedules on which a property has failed, as small as jqwik made them, or that random schedules rarely contain. Each
 * is named after the mistake that it finds. Add further ones here.
 */
class KeptSchedulesTest {

    @Example
    void aLogThatGivesBackItsNewestInsteadOfItsOldest() {
        check(
                Algorithm.SLIDING_WINDOW_LOG,
                new Quota(4, TestTime.SECOND, 4),
                new Step(Pause.UP_TO_A_TOKEN, 4, 333_334, 0),
                new Step(Pause.TO_THE_BOUNDARY, 0, 0, 0),
                new Step(Pause.NOTHING, 0, 0, 2));
    }

    @Example
    void aLogThatLetsAnEntryGoOneMicrosecondEarly() {
        check(Algorithm.SLIDING_WINDOW_LOG, new Quota(1, TestTime.SECOND, 1), new Step(Pause.NOTHING, 0, 0, 0));
    }

    @Example
    void aLogThatKeepsAnEntryOneMicrosecondLonger() {
        check(
                Algorithm.SLIDING_WINDOW_LOG,
                new Quota(2, TestTime.SECOND, 2),
                new Step(Pause.NOTHING, 0, 0, 0),
                new Step(Pause.NOTHING, 0, 0, 0),
                new Step(Pause.RETRY_AFTER, 0, 0, 0));
    }

    @Example
    void aBucketThatGivesBackTokensThatHaveRunOver() {
        check(
                Algorithm.TOKEN_BUCKET,
                new Quota(1, TestTime.SECOND, 1),
                new Step(Pause.NOTHING, 0, 0, 0),
                new Step(Pause.RETRY_AFTER, 0, 0, 0),
                new Step(Pause.NOTHING, 0, 0, 2));
    }

    @Example
    void aBucketThatRoundsWhatATokenIsWorth() {
        check(Algorithm.TOKEN_BUCKET, new Quota(3, TestTime.SECOND, 1));
    }

    @Example
    void aCounterThatNeverForgetsTheWindowBefore() {
        check(Algorithm.SLIDING_WINDOW_COUNTER, new Quota(2_713, 1_000, 2_713), new Step(Pause.NOTHING, 0, 737_095, 0));
    }

    @Example
    void aCounterThatOverlooksTheLastMicrosecondOfAWindow() {
        check(
                Algorithm.SLIDING_WINDOW_COUNTER,
                new Quota(1_500, 1_000, 1_500),
                new Step(Pause.NOTHING, 0, Schedule.MILLION, 0),
                new Step(Pause.TO_THE_BOUNDARY, 0, 0, 0));
    }

    /** All properties, at some of the costs and times that they are tried at. */
    private static void check(Algorithm algorithm, Quota quota, Step... steps) {
        Schedule schedule = new Schedule(algorithm, quota, List.of(steps));
        KeptLimitsTest limits = new KeptLimitsTest();
        limits.admitsNoMoreThanTheLimit(schedule);
        limits.aCallIsAdmittedOnlyIfItFitsBesideWhatTheOthersActuallyCost(schedule);
        AnswersTest answers = new AnswersTest();
        answers.allOfTheQuotaIsFreeAtResetAfterAndNotOneMicrosecondEarlier(schedule);
        answers.remainingIsTheLargestCostThatIsAdmitted(schedule);
        for (int size : new int[] {0, 1, Schedule.MILLION / 2, Schedule.MILLION - 1, Schedule.MILLION}) {
            limits.usedIsExactlyWhatTheHistoryHolds(schedule, size);
            answers.aCallIsRefusedOneMicrosecondBeforeItsRetryAfterAndAdmittedAtIt(schedule, size);
            answers.askingChangesNothing(schedule, size, size);
        }
    }
}
