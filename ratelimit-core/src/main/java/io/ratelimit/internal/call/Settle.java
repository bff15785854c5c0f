package io.ratelimit.internal.call;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Corrects what a decision charged to what the call cost. */
public final class Settle extends Call {

    private final Acquisition acquisition;
    private final Decision settled;
    private final long[] actual;

    Settle(
            Acquisition acquisition,
            Decision settled,
            long[] actual,
            Executor threads,
            @Nullable Layer madeBy,
            Consumer<Call> then) {
        super(threads, madeBy, then);
        this.acquisition = acquisition;
        this.settled = settled;
        this.actual = actual;
    }

    private Settle(
            Acquisition acquisition,
            Decision settled,
            long[] actual,
            Call other,
            @Nullable Layer madeBy,
            Consumer<Call> then) {
        super(other, madeBy, then);
        this.acquisition = acquisition;
        this.settled = settled;
        this.actual = actual;
    }

    /** Creates a refund that a layer makes of what it has taken, with a deadline of its own. */
    public static Settle refund(
            Acquisition acquisition, Decision taken, Layer madeBy, Executor threads, Consumer<Call> then) {
        return new Settle(acquisition, taken, new long[1], threads, madeBy, then);
    }

    /** Creates a refund that a layer makes for a call, of what it has taken. */
    public static Settle refund(
            Acquisition acquisition, Decision taken, Decide call, Layer madeBy, Consumer<Call> then) {
        return new Settle(acquisition, taken, new long[1], call, madeBy, then);
    }

    /** Creates a settlement that a layer makes in place of this one. */
    public Settle instead(
            Acquisition other, Decision decision, @Nullable Layer madeBy, Consumer<Call> then, long... costs) {
        return new Settle(other, decision, costs, this, madeBy, then);
    }

    public Acquisition acquisition() {
        return acquisition;
    }

    /** Returns the decision that is settled. */
    public Decision settled() {
        return settled;
    }

    @Override
    public boolean reports() {
        return !settled.reported().isEmpty();
    }

    /** Returns what the call cost: one number for all charges, or one for each. */
    public long[] actual() {
        return actual;
    }

    /** Returns what the charge at the index cost. */
    public long actual(int index) {
        return actual[actual.length == 1 ? 0 : index];
    }
}
