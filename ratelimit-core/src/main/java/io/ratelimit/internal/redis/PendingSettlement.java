package io.ratelimit.internal.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.EndedCall;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.internal.call.Settlements;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Corrects what a decision charged, or gives it back. Thread-safe. */
final class PendingSettlement extends PendingCall {

    private final long[] actual;
    private final long takenAtMicros;
    private final long[] resetAfterMicros;
    private final EndedCall ended;

    private PendingSettlement(
            List<Charge> charges,
            long[] actual,
            long takenAtMicros,
            long[] resetAfterMicros,
            EndedCall ended,
            long deadlineNanos,
            @Nullable Call call,
            Layer store) {
        super(Operation.SETTLE, charges, 1, deadlineNanos, call, store);
        this.actual = actual;
        this.takenAtMicros = takenAtMicros;
        this.resetAfterMicros = resetAfterMicros;
        this.ended = ended;
    }

    /**
     * @param call is answered; null if nobody waits for it
     * @param charged what the decision charged
     */
    static PendingSettlement of(
            @Nullable Call call,
            List<Charge> charged,
            long[] actual,
            Decision settled,
            OpenCalls open,
            long deadlineNanos,
            Layer store) {
        long takenAt = Micros.of(settled.decidedAt());
        EndedCall ended = open.ended(charged, actual, takenAt, call == null ? System.nanoTime() : deadlineNanos);
        long[] resetAfter = Settlements.resetAfterMicros(settled);
        return new PendingSettlement(charged, actual, takenAt, resetAfter, ended, deadlineNanos, call, store);
    }

    @Override
    PendingSettlement later(long nanos) {
        long deadline = System.nanoTime() + nanos;
        return new PendingSettlement(charges, actual, takenAtMicros, resetAfterMicros, ended, deadline, null, store);
    }

    @Override
    long[] actual() {
        return actual;
    }

    @Override
    long takenAtMicros() {
        return takenAtMicros;
    }

    @Override
    long[] resetAfterMicros() {
        return ended.most(resetAfterMicros);
    }

    @Override
    boolean freesOwnAlone(int charge) {
        return ended.freesOwnAlone(charge);
    }

    @Override
    boolean isRepeatable() {
        return ended.known().length > 0;
    }

    @Override
    long repeatFromNanos(long fromNanos) {
        return ended.repeatFromNanos(fromNanos);
    }

    /** Returns the end of the calls in flight alone. */
    @Override
    PendingSettlement again(long nanos) {
        int[] known = ended.known();
        List<Charge> again = Arrays.stream(known).mapToObj(charges::get).toList();
        long[] cost = Arrays.stream(known).mapToLong(i -> actual[i]).toArray();
        long deadline = System.nanoTime() + nanos;
        return new PendingSettlement(
                again, cost, takenAtMicros, new long[known.length], ended.of(known), deadline, null, store);
    }
}
