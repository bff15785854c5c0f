package io.ratelimit.algorithm;

import static io.ratelimit.testing.TestTime.at;

import io.ratelimit.algorithm.Schedule.Step;
import io.ratelimit.testing.AdmittedHistory;
import io.ratelimit.testing.AdmittedHistory.Admission;
import java.util.ArrayList;
import java.util.List;

/** A subject after all calls of a schedule, with the admissions that were not given back. */
final class Played {

    final Subject subject;
    private final Schedule schedule;
    private final List<Admission> admitted = new ArrayList<>();
    private long nowMicros = at("11:59:59");

    private Played(Schedule schedule) {
        this.schedule = schedule;
        this.subject = new Subject(schedule.algorithm().newTally(), schedule.quota());
    }

    static Played of(Schedule schedule) {
        Played played = new Played(schedule);
        schedule.steps().forEach(played::call);
        return played;
    }

    long nowMicros() {
        return nowMicros;
    }

    AdmittedHistory history() {
        return AdmittedHistory.of(admitted);
    }

    private void call(Step step) {
        if (step.givesBack() > 0 && step.givesBack() <= admitted.size()) {
            Admission undone = admitted.remove(admitted.size() - step.givesBack());
            subject.giveBack(undone.cost(), undone.atMicros(), nowMicros);
        }
        long cost = schedule.cost(step.costSize());
        nowMicros += pauseMicros(step, cost);
        if (subject.admits(cost, nowMicros)) {
            admitted.add(new Admission(nowMicros, cost));
        }
    }

    private long pauseMicros(Step step, long cost) {
        long window = schedule.quota().windowMicros();
        return switch (step.pause()) {
            case NOTHING -> 0;
            case RETRY_AFTER -> subject.retryAfter(cost, nowMicros);
            case TO_THE_BOUNDARY -> window - nowMicros % window;
            case TO_JUST_BEFORE_THE_BOUNDARY -> window - 1 - nowMicros % window;
            case UP_TO_A_TOKEN -> Schedule.part(1 + window / schedule.quota().maxRequests(), step.pauseSize());
            case UP_TO_A_WINDOW -> Schedule.part(window, step.pauseSize());
            case UP_TO_THREE_WINDOWS -> Schedule.part(3 * window, step.pauseSize());
        };
    }
}
