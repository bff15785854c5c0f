package io.ratelimit.internal.algorithm;

import static io.ratelimit.testing.TestTime.at;

import io.ratelimit.Algorithm;
import io.ratelimit.Quota;
import io.ratelimit.internal.algorithm.Schedule.Step;
import io.ratelimit.testing.AdmittedHistory;
import io.ratelimit.testing.AdmittedHistory.Admission;
import java.util.ArrayList;
import java.util.List;

/**
 * A subject after all calls of a schedule, with what it was charged: admissions at what they actually cost as far as they
 * are settled, and debts.
 */
final class Played {

    final Subject subject;
    private final Schedule schedule;
    private final List<Admission> admitted = new ArrayList<>();
    private final List<Admission> charged = new ArrayList<>();
    private long mostUsedAtAnAdmission;
    private long nowMicros = at("11:59:59");

    private Played(Schedule schedule) {
        this.schedule = schedule;
        this.subject =
                new Subject(Tally.of(schedule.algorithm(), schedule.quota().window()), schedule.quota());
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
        return AdmittedHistory.of(charged);
    }

    /** Returns the most that was in use when a call was admitted, by what was charged and settled until then. */
    long mostUsedAtAnAdmission() {
        return mostUsedAtAnAdmission;
    }

    /** A bucket does not count a debt in full; the call that left it is over by the time the next one is admitted. */
    private long usedNow() {
        Quota quota = schedule.quota();
        long longest = Math.max(quota.windowMicros(), quota.refillMicros());
        boolean isBucket = schedule.algorithm() == Algorithm.TOKEN_BUCKET;
        List<Admission> counted = charged.stream()
                .filter(call -> !isBucket || call.atMicros() > nowMicros - longest)
                .toList();
        return AdmittedHistory.of(counted).used(schedule.algorithm(), quota, nowMicros);
    }

    private void settle(Admission call, long actual) {
        charged.remove(call);
        charged.add(new Admission(call.atMicros(), Math.min(call.cost(), actual)));
        charged.add(new Admission(nowMicros, Math.max(0, actual - call.cost())));
        subject.settle(actual - call.cost(), call.atMicros(), nowMicros);
    }

    private void call(Step step) {
        if (step.settles() > 0 && step.settles() <= admitted.size()) {
            settle(admitted.remove(admitted.size() - step.settles()), schedule.actual(step));
        }
        long cost = schedule.cost(step.costSize());
        nowMicros += pauseMicros(step, cost);
        if (subject.admits(cost, nowMicros)) {
            Admission call = new Admission(nowMicros, cost);
            admitted.add(call);
            charged.add(call);
            mostUsedAtAnAdmission = Math.max(mostUsedAtAnAdmission, usedNow());
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
