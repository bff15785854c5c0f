package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.Micros;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What {@code engine.lua} replied to a {@link Batch}, given out to its asks. Not thread-safe. */
final class Reply {

    private final ByteBuffer numbers;
    private final long clockMicros;
    private final Instant decidedAt;

    Reply(byte[] bytes) {
        this.numbers = ByteBuffer.wrap(bytes);
        this.clockMicros = numbers.getLong();
        this.decidedAt = Micros.toInstant(clockMicros);
    }

    long clockMicros() {
        return clockMicros;
    }

    /** The batch came so late that nothing was decided. */
    boolean tooLate() {
        return numbers.limit() == Long.BYTES;
    }

    void answer(Batch batch) {
        batch.groups.forEach(this::answerGroup);
    }

    private void answerGroup(Group group) {
        switch (group.operation()) {
            case ACQUIRE -> answerAcquired(group.asks, group.charges(), nextAdmitted());
            case PEEK -> {
                boolean allowed = nextAdmitted() > 0;
                completeAll(group.asks, decision(allowed, statuses(group.charges(), !allowed)));
            }
            case REFUND -> {
                numbers.getInt();
                completeAll(group.asks, decision(true, List.of()));
            }
        }
    }

    /** How many of the times were admitted stands at the head of the next charge. */
    private int nextAdmitted() {
        return numbers.getInt(numbers.position());
    }

    /** The script tells how it stood after the last that was admitted; those before it had its costs more remaining. */
    private void answerAcquired(List<Ask> group, List<Charge> charges, int admitted) {
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
        numbers.getInt();
        long remaining = numbers.getLong();
        long resetAfterMicros = numbers.getLong();
        return LimitStatus.ofMicros(charge.limit(), remaining, refused ? numbers.getLong() : 0, resetAfterMicros);
    }

    private Decision decision(boolean allowed, List<LimitStatus> statuses) {
        return new Decision(allowed, statuses, Decision.Source.STORE, decidedAt);
    }
}
