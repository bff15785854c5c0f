package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.Micros;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The numbers that {@code engine.lua} replied to a {@link Batch}, given out to its asks. Not thread-safe. */
final class Reply {

    private final List<Long> numbers;
    private int position = 1;

    Reply(List<Long> numbers) {
        this.numbers = numbers;
    }

    long clockMicros() {
        return numbers.get(0);
    }

    /** The batch came so late that nothing was decided. */
    boolean tooLate() {
        return numbers.size() == 1;
    }

    void answer(Batch batch) {
        batch.groups().forEach(this::answerGroup);
    }

    private void answerGroup(List<Ask> group) {
        Ask.Shape shape = group.get(0).shape;
        int admitted = (int) next();
        if (shape.operation() == Ask.Operation.PEEK) {
            Decision decision = decision(statuses(shape.charges(), admitted == 0));
            group.forEach(ask -> ask.answer.complete(decision));
        } else if (shape.operation() == Ask.Operation.REFUND) {
            group.forEach(ask -> ask.answer.complete(decision(List.of())));
        } else {
            answerAcquired(group, admitted);
        }
    }

    /** The script tells how it stood after the last that was admitted; those before it had its costs more remaining. */
    private void answerAcquired(List<Ask> group, int admitted) {
        List<Charge> charges = group.get(0).shape.charges();
        if (admitted > 0) {
            List<LimitStatus> last = statuses(charges, false);
            for (int i = 0; i < admitted; i++) {
                int later = admitted - 1 - i;
                group.get(i).answer.complete(decision(later == 0 ? last : before(last, charges, later)));
            }
        }
        if (admitted < group.size()) {
            Decision refused = decision(statuses(charges, true));
            group.subList(admitted, group.size()).forEach(ask -> ask.answer.complete(refused));
        }
    }

    private static List<LimitStatus> before(List<LimitStatus> last, List<Charge> charges, int later) {
        List<LimitStatus> earlier = new ArrayList<>(last.size());
        for (int i = 0; i < last.size(); i++) {
            LimitStatus status = last.get(i);
            long remaining = status.remaining() + later * charges.get(i).cost();
            earlier.add(new LimitStatus(status.limit(), remaining, status.retryAfter(), status.resetAfter()));
        }
        return earlier;
    }

    private List<LimitStatus> statuses(List<Charge> charges, boolean refused) {
        List<LimitStatus> statuses = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            long remaining = next();
            long resetAfterMicros = next();
            statuses.add(LimitStatus.ofMicros(charge.limit(), remaining, refused ? next() : 0, resetAfterMicros));
        }
        return statuses;
    }

    private Decision decision(List<LimitStatus> statuses) {
        Instant decidedAt = Micros.toInstant(clockMicros());
        boolean allowed = statuses.stream().noneMatch(LimitStatus::refuses);
        return new Decision(allowed, statuses, Decision.Source.STORE, decidedAt);
    }

    private long next() {
        return numbers.get(position++);
    }
}
