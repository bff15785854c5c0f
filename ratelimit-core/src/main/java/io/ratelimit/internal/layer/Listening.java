package io.ratelimit.internal.layer;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;
import io.ratelimit.internal.call.Settlements;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.LongSupplier;

/** Passes each decision and settlement to the listeners. The stack has this layer only if there are listeners. Thread-safe. */
public final class Listening extends Layer {

    private final Listeners<DecisionListener> listeners;
    private final LongSupplier nanoTime;

    public Listening(Layer next, List<DecisionListener> listeners, LongSupplier nanoTime) {
        super(next);
        this.listeners = new Listeners<>(listeners);
        this.nanoTime = nanoTime;
    }

    /** Reads the clock only for a call that may wait, because reading it would cost time in every call. */
    @Override
    public void call(Call call) {
        if (call instanceof Decide decide && decide.mayWait()) {
            decide.beganAt(nanoTime.getAsLong());
        }
        passOn(call);
    }

    @Override
    protected void answered(Call call) {
        if (call instanceof Decide decide && decide.isCharging()) {
            if (call.decision() != null) {
                decided(decide, call.decision());
            } else if (call.failure() instanceof RuntimeException failure
                    && !(failure instanceof CancellationException)) {
                listeners.each(listener -> listener.onFailure(decide.acquisition(), failure));
            }
        } else if (call instanceof Settle settle && call.failure() == null) {
            long[] costs = costs(settle.acquisition().charges(), settle.actual());
            listeners.each(listener -> listener.onSettled(settle.acquisition(), settle.settled(), costs));
        }
        back(call);
    }

    private void decided(Decide call, Decision decision) {
        Acquisition acquisition = call.acquisition();
        listeners.each(listener -> listener.onDecision(acquisition, decision));
        if (call.mayWait()) {
            Duration waited = Duration.ofNanos(nanoTime.getAsLong() - call.beganNanos());
            listeners.each(listener -> listener.onWaited(acquisition, decision, waited));
        }
    }

    /** Returns what each charge cost: for an element its cost, where {@link Settlements#ofEach} has its hash. */
    private static long[] costs(List<Charge> charges, long[] actual) {
        long[] costs = Settlements.ofEach(charges, actual);
        for (int i = 0; i < costs.length; i++) {
            Charge charge = charges.get(i);
            costs[i] = charge.element().isPresent() ? charge.cost() : costs[i];
        }
        return costs;
    }
}
