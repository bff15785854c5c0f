package io.ratelimit.internal.layer;

import io.ratelimit.DecisionListener;
import io.ratelimit.DecisionListener.Began;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Lets listeners begin something with each acquisition, and end it with what the caller gets. Thread-safe. */
public final class Observing extends Layer {

    private final Listeners<DecisionListener> listeners;

    public Observing(Layer next, List<DecisionListener> listeners) {
        super(next);
        this.listeners = new Listeners<>(listeners);
    }

    @Override
    public void call(Call call) {
        if (call instanceof Decide decide && decide.isCharging()) {
            listeners.each(listener -> begin(decide, listener.onCall(decide.acquisition())));
        }
        passOn(call);
    }

    private static void begin(Decide call, @Nullable Began began) {
        if (began != null) {
            Began before = (Began) call.began();
            call.began(
                    before == null
                            ? began
                            : (Began) (decision, failure) -> {
                                before.ended(decision, failure);
                                began.ended(decision, failure);
                            });
        }
    }

    @Override
    protected void answered(Call call) {
        if (call instanceof Decide decide && decide.began() instanceof Began began) {
            RuntimeException failure =
                    call.failure() instanceof RuntimeException runtime && !(runtime instanceof CancellationException)
                            ? runtime
                            : null;
            listeners.safely(began, each -> each.ended(call.decision(), failure));
        }
        back(call);
    }
}
