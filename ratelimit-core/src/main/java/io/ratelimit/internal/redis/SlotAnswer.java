package io.ratelimit.internal.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What one slot answered to its part of an acquisition. */
record SlotAnswer(Acquisition part, Decision decision) {

    /** Returns the answer after all but {@code times} of what was taken is given back. */
    SlotAnswer keeping(int times) {
        List<LimitStatus> limits = new ArrayList<>();
        for (int i = 0; i < decision.limits().size(); i++) {
            LimitStatus status = decision.limits().get(i);
            long givenBack = (decision.taken() - times) * part.charges().get(i).cost();
            limits.add(new LimitStatus(
                            status.limit(), status.remaining() + givenBack, status.retryAfter(), status.resetAfter())
                    .afterGivingBack(Micros.of(status.givenBack())));
        }
        return new SlotAnswer(part, new Decision(true, limits, decision.source(), decision.decidedAt(), times));
    }

    /** Merges the answers in the order of the charges. The decision has the earliest time, each limit its own. */
    static Decision merged(Acquisition acquisition, List<SlotAnswer> answers) {
        Map<Charge, LimitStatus> statuses = new HashMap<>();
        Instant decidedAt = answers.stream()
                .map(answer -> answer.decision.decidedAt())
                .min(Comparator.naturalOrder())
                .orElseThrow();
        int taken = Integer.MAX_VALUE;
        for (SlotAnswer answer : answers) {
            Decision decision = answer.decision;
            Duration later = Duration.between(decidedAt, decision.decidedAt());
            for (int i = 0; i < answer.part.charges().size(); i++) {
                statuses.put(
                        answer.part.charges().get(i), decision.limits().get(i).decidedLater(later));
            }
            taken = Math.min(taken, decision.taken());
        }
        List<LimitStatus> inOrder = acquisition.charges().stream()
                .map(charge -> Objects.requireNonNull(statuses.get(charge)))
                .toList();
        Decision merged = Decision.of(inOrder, decidedAt);
        return taken > 1 ? merged.taken(taken) : merged;
    }
}
