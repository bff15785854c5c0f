package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Micros;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Decodes a reply of {@code engine.lua} to a {@link Batch} and completes its calls. Not thread-safe. */
final class EngineReply {

    private static final int UNREADABLE = -1;

    private final ByteBuffer numbers;
    private final long clockMicros;
    private final Instant decidedAt;
    private final Executor callbacks;

    /** @param callbacks runs the callbacks of the calls */
    EngineReply(byte[] bytes, Executor callbacks) {
        this.callbacks = callbacks;
        this.numbers = ByteBuffer.wrap(bytes);
        this.clockMicros = numbers.getLong();
        this.decidedAt = Micros.toInstant(clockMicros);
    }

    long clockMicros() {
        return clockMicros;
    }

    /** Returns whether nothing was decided, because the batch arrived after the deadline of its calls. */
    boolean tooLate() {
        return numbers.limit() == Long.BYTES;
    }

    /** Completes all calls. Returns those that were charged but had already failed, which must be refunded. */
    List<PendingCall> answer(Batch batch) {
        List<PendingCall> late = new ArrayList<>(0);
        batch.groups.forEach(group -> answerGroup(group, late));
        return late;
    }

    private void answerGroup(BatchEntry group, List<PendingCall> late) {
        List<Charge> charges = group.charges();
        if (nextAdmitted() == UNREADABLE) {
            numbers.getInt();
            fail(group, charges.get(numbers.getInt() - 1));
            return;
        }
        switch (group.operation()) {
            case ACQUIRE -> answerAcquired(group.asks, charges, late);
            case PEEK -> {
                boolean allowed = nextAdmitted() == 1;
                completeAll(group.asks, decision(allowed, statuses(charges, !allowed)));
            }
            case SETTLE -> {
                numbers.getInt();
                completeAll(group.asks, decision(true, List.of()));
            }
        }
    }

    /** Returns how many equal calls were admitted, which the next charge of the reply begins with. */
    private int nextAdmitted() {
        return numbers.getInt(numbers.position());
    }

    /** The reply has the status after the last admitted call. Each call before it had its cost more remaining. */
    private void answerAcquired(List<PendingCall> group, List<Charge> charges, List<PendingCall> late) {
        int admitted = nextAdmitted();
        List<LimitStatus> last = statuses(charges, admitted < group.size());
        for (int i = 0; i < admitted; i++) {
            if (!group.get(i).complete(decision(true, before(last, charges, admitted - 1 - i)), callbacks)) {
                late.add(group.get(i));
            }
        }
        if (admitted < group.size()) {
            completeAll(group.subList(admitted, group.size()), decision(false, last));
        }
    }

    private static void fail(BatchEntry group, Charge unreadable) {
        StoreUnavailableException failure = new StoreUnavailableException(
                "a key of limit '%s' holds a value that is not a readable state of %s: delete it, or choose another key-prefix"
                        .formatted(
                                unreadable.limit().name(),
                                unreadable.limit().algorithm().label()));
        group.asks.forEach(ask -> ask.completeExceptionally(failure));
    }

    private void completeAll(List<PendingCall> asks, Decision decision) {
        asks.forEach(ask -> ask.complete(decision, callbacks));
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
        return new LimitStatus(last.limit(), remaining, Duration.ZERO, last.resetAfter());
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
