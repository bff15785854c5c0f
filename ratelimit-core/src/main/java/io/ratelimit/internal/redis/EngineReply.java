package io.ratelimit.internal.redis;

import io.ratelimit.Ban;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.call.Bans;
import io.ratelimit.internal.call.OpenCalls;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Decodes a reply of {@code engine.lua} to a {@link Batch} and completes its calls. Not thread-safe. */
final class EngineReply {

    private static final int UNREADABLE = -1;

    /** The bit of what was admitted that says that a bucket has given something back. */
    private static final int GAVE_BACK = Integer.MIN_VALUE;

    private final ByteBuffer numbers;
    private final long clockMicros;
    private final Instant decidedAt;
    private final Executor callbacks;
    private final OpenCalls open;
    private final List<Runnable> answersOfOpen = new ArrayList<>(0);

    /** @param callbacks runs the callbacks of the calls */
    EngineReply(byte[] bytes, Executor callbacks, OpenCalls open) {
        this.callbacks = callbacks;
        this.open = open;
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

    /**
     * Completes all calls. Returns a refund for each call that was charged but had already failed.
     *
     * @param withinNanos how long refunds are tried
     */
    List<PendingCall> answer(Batch batch, long withinNanos) {
        List<PendingCall> refunds = new ArrayList<>(0);
        batch.entries.forEach(entry -> answer(entry, withinNanos, refunds));
        answersOfOpen.forEach(Runnable::run); // last: a call may end at once
        return refunds;
    }

    private void answer(BatchEntry entry, long withinNanos, List<PendingCall> refunds) {
        List<Charge> charges = entry.charges();
        if (nextAdmitted() == UNREADABLE) {
            numbers.getInt();
            fail(entry, entry.chargeOf(numbers.getInt()));
            return;
        }
        switch (entry.operation()) {
            case ACQUIRE, TRY -> {
                if (entry.takesWhatFits()) {
                    Decision decision = whatFits(entry);
                    decision.refusing().forEach(EngineReply::logIfBegun);
                    complete(entry.calls.get(0), decision, withinNanos, refunds);
                } else {
                    answerAcquired(entry.calls, charges, withinNanos, refunds);
                }
            }
            case PEEK -> completeAll(entry.calls, whatFits(entry));
            case FAIL -> {
                logBegun(charges, numbers.getInt());
                completeAll(entry.calls, decision(true, List.of()));
            }
            case BAN -> {
                Bans.logBegun(charges.get(0).limit());
                numbers.getInt();
                completeAll(entry.calls, decision(true, List.of()));
            }
            case SETTLE, BLOCK -> {
                numbers.getInt();
                completeAll(entry.calls, decision(true, List.of()));
            }
        }
    }

    /** A ban that refusals begin has its whole length left in the decision that begins it, and less in all others. */
    private static void logIfBegun(LimitStatus status) {
        if (status.banned()) {
            Ban ban = Bans.check(status.limit());
            if (!ban.countsFailures() && ban.lengthsMicros().contains(Micros.of(status.bannedFor()))) {
                Bans.logBegun(status.limit());
            }
        }
    }

    /** @param begun a bit for each charge, the lowest for the first, that is set if its limit bans the subject from now on */
    private static void logBegun(List<Charge> charges, int begun) {
        for (int i = 0; begun >> i != 0; i++) {
            if ((begun >> i & 1) == 1) {
                Bans.logBegun(charges.get(i).limit());
            }
        }
    }

    /** Returns how many equal calls were admitted, which the next charge of the reply begins with. */
    private int nextAdmitted() {
        int admitted = numbers.getInt(numbers.position());
        return admitted == UNREADABLE ? UNREADABLE : admitted & ~GAVE_BACK;
    }

    /** The reply has the status after the last admitted call. Each call before it had its cost more remaining. */
    private void answerAcquired(
            List<PendingCall> calls, List<Charge> charges, long withinNanos, List<PendingCall> refunds) {
        int admitted = nextAdmitted();
        List<LimitStatus> last = statuses(charges, admitted < calls.size());
        for (int i = 0; i < admitted; i++) {
            complete(calls.get(i), decision(true, before(last, charges, admitted - 1 - i)), withinNanos, refunds);
        }
        if (admitted < calls.size()) {
            last.forEach(EngineReply::logIfBegun);
            completeAll(calls.subList(admitted, calls.size()), decision(false, last));
        }
    }

    /** The reply has the status after everything was taken, with a retryAfter if not all of it was. */
    private Decision whatFits(BatchEntry entry) {
        int taken = nextAdmitted();
        List<LimitStatus> statuses = statuses(entry.charges(), taken < entry.times());
        return taken == 0
                ? decision(false, statuses)
                : decision(true, before(statuses, entry.charges(), 0)).taken(taken);
    }

    private void complete(PendingCall call, Decision decision, long withinNanos, List<PendingCall> refunds) {
        if (decision.allowed() && OpenCalls.areIn(call.charges)) {
            open.admitted(call.charges, decision.taken(), clockMicros);
            answersOfOpen.add(() -> answer(call, decision, withinNanos, refunds));
        } else {
            answer(call, decision, withinNanos, refunds);
        }
    }

    private void answer(PendingCall call, Decision decision, long withinNanos, List<PendingCall> refunds) {
        if (!call.complete(decision, callbacks) && decision.allowed()) {
            refunds.add(call.lateRefund(decision, open, withinNanos));
        }
    }

    private static void fail(BatchEntry entry, Charge unreadable) {
        StoreUnavailableException failure = new StoreUnavailableException(
                "a key of limit '%s' holds a value that is not a readable state of %s: delete it, or choose another key-prefix"
                        .formatted(
                                unreadable.limit().name(),
                                unreadable.limit().algorithm().label()));
        entry.calls.forEach(call -> call.completeExceptionally(failure));
    }

    private void completeAll(List<PendingCall> calls, Decision decision) {
        calls.forEach(call -> call.complete(decision, callbacks));
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
        return new LimitStatus(last.limit(), remaining, Duration.ZERO, last.resetAfter())
                .afterGivingBack(Micros.of(last.givenBack()));
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
        boolean gaveBack = (numbers.getInt() & GAVE_BACK) != 0;
        long remaining = numbers.getLong();
        long resetAfterMicros = numbers.getLong();
        long givenBackMicros = gaveBack ? numbers.getLong() : 0;
        long retryAfterMicros = refused ? numbers.getLong() : 0;
        LimitStatus status = LimitStatus.ofMicros(
                        charge.limit(), remaining, Math.abs(retryAfterMicros), resetAfterMicros)
                .afterGivingBack(givenBackMicros);
        if (retryAfterMicros < 0) {
            status = status.asBlocked();
        }
        long banMicros = charge.limit().ban().isPresent() ? numbers.getLong() : 0;
        return banMicros == 0 ? status : status.banned(banMicros);
    }

    private Decision decision(boolean allowed, List<LimitStatus> statuses) {
        return new Decision(allowed, statuses, Decision.Source.STORE, decidedAt);
    }
}
