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
    private final Instant decidedAt;
    private int position = 1;

    Reply(List<Long> numbers) {
        this.numbers = numbers;
        this.decidedAt = Micros.toInstant(numbers.get(0));
    }

    long clockMicros() {
        return numbers.get(0);
    }

    /** The batch came so late that nothing was decided. */
    boolean tooLate() {
        return numbers.size() == 1;
    }

    void answer(Batch batch) {
        batch.groups.forEach(this::answerGroup);
    }

    private void answerGroup(List<Ask> group) {
        Ask ask = group.get(0);
        int admitted = (int) next();
        switch (ask.operation) {
            case ACQUIRE -> answerAcquired(group, admitted);
            case PEEK -> completeAll(group, decision(admitted > 0, statuses(ask.charges, admitted == 0)));
            case REFUND -> ask.complete(decision(true, List.of()));
        }
    }

    /** The script tells how it stood after the last that was admitted; those before it had its costs more remaining. */
    private void answerAcquired(List<Ask> group, int admitted) {
        List<Charge> charges = group.get(0).charges;
        if (admitted > 0) {
            List<LimitStatus> last = statuses(charges, false);
            for (int i = 0; i < admitted; i++) {
                int later = admitted - 1 - i;
                group.get(i).complete(decision(true, later == 0 ? last : before(last, charges, later)));
            }
        }
        if (admitted < group.size()) {
            completeAll(group.subList(admitted, group.size()), decision(false, statuses(charges, true)));
        }
    }

    private static void completeAll(List<Ask> asks, Decision decision) {
        asks.forEach(ask -> ask.complete(decision));
    }

    private static List<LimitStatus> before(List<LimitStatus> last, List<Charge> charges, int later) {
        if (last.size() == 1) {
            return List.of(before(last.get(0), charges.get(0), later));
        }
        List<LimitStatus> earlier = new ArrayList<>(last.size());
        for (int i = 0; i < last.size(); i++) {
            earlier.add(before(last.get(i), charges.get(i), later));
        }
        return earlier;
    }

    private static LimitStatus before(LimitStatus last, Charge charge, int later) {
        long remaining = last.remaining() + later * charge.cost();
        return new LimitStatus(last.limit(), remaining, last.retryAfter(), last.resetAfter());
    }

    private List<LimitStatus> statuses(List<Charge> charges, boolean refused) {
        if (charges.size() == 1) {
            return List.of(status(charges.get(0), refused));
        }
        List<LimitStatus> statuses = new ArrayList<>(charges.size());
        charges.forEach(charge -> statuses.add(status(charge, refused)));
        return statuses;
    }

    private LimitStatus status(Charge charge, boolean refused) {
        long remaining = next();
        long resetAfterMicros = next();
        return LimitStatus.ofMicros(charge.limit(), remaining, refused ? next() : 0, resetAfterMicros);
    }

    private Decision decision(boolean allowed, List<LimitStatus> statuses) {
        return new Decision(allowed, statuses, Decision.Source.STORE, decidedAt);
    }

    private long next() {
        return numbers.get(position++);
    }
}
