package io.ratelimit.internal.call;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks for a decision: an acquisition, or a peek, which charges nothing. */
public final class Decide extends Call {

    /** What keeps a call until something happens. Thread-safe; called on any thread. */
    public interface Keeper {

        /** Decides the call soon, because its caller waits no longer. */
        void hurry(Decide call);

        /** Forgets the call, because its caller has given it up. */
        void forget(Decide call);
    }

    private final boolean charging;
    private Acquisition acquisition;

    private long beganNanos;
    private @Nullable Object began;
    private long askedNanos;

    private volatile boolean givenUp;
    private volatile boolean hurried;
    private volatile @Nullable Keeper keeper;

    Decide(Acquisition acquisition, boolean charging, Executor threads, @Nullable Layer madeBy, Consumer<Call> then) {
        super(threads, madeBy, then);
        this.acquisition = acquisition;
        this.charging = charging;
    }

    private Decide(Acquisition acquisition, boolean charging, Call other, @Nullable Layer madeBy, Consumer<Call> then) {
        super(other, madeBy, then);
        this.acquisition = acquisition;
        this.charging = charging;
    }

    /** Creates an acquisition that a layer makes for nobody's call alone, with a deadline of its own. */
    public static Decide alone(Acquisition acquisition, Layer madeBy, Executor threads, Consumer<Call> then) {
        return new Decide(acquisition, true, threads, madeBy, then);
    }

    /** Creates an acquisition that a layer makes for this call. */
    public Decide acquire(Acquisition other, Layer madeBy, Consumer<Call> then) {
        return new Decide(other, true, this, madeBy, then);
    }

    /** Creates a part of this call: an acquisition or a peek, as this is. */
    Decide part(Acquisition other, @Nullable Layer madeBy, Consumer<Call> then) {
        return new Decide(other, charging, this, madeBy, then);
    }

    /** Creates a peek that a layer makes for this call. */
    public Decide peek(Acquisition other, Layer madeBy, Consumer<Call> then) {
        return new Decide(other, false, this, madeBy, then);
    }

    public Acquisition acquisition() {
        return acquisition;
    }

    /** Replaces what is asked, before the call is passed on. */
    public void ask(Acquisition other) {
        acquisition = other;
    }

    /** Returns whether it charges what it decides. */
    public boolean isCharging() {
        return charging;
    }

    /** Returns whether it may wait until it fits. */
    public boolean mayWait() {
        return charging && !acquisition.maxWait().isZero();
    }

    /** Returns when the call began, if it may wait and somebody listens. */
    public long beganNanos() {
        return beganNanos;
    }

    public void beganAt(long nanos) {
        beganNanos = nanos;
    }

    /** Returns what those who listen have begun for the call; null if nothing. */
    public @Nullable Object began() {
        return began;
    }

    public void began(Object byListeners) {
        began = byListeners;
    }

    /** Returns when the store was asked last. */
    public long askedNanos() {
        return askedNanos;
    }

    public void askedAt(long nanos) {
        askedNanos = nanos;
    }

    /** Has this called when the caller gives the call up, or waits no longer. */
    public void keptBy(Keeper layer) {
        keeper = layer;
        if (root != this && root instanceof Decide whole) { // of a part of it, only the whole is given up
            whole.keptBy(layer);
        } else if (givenUp) {
            layer.forget(this);
        } else if (hurried) {
            layer.hurry(this);
        }
    }

    /** Returns what keeps the call; null if nothing does. */
    public @Nullable Keeper keeper() {
        return keeper;
    }

    @Override
    public boolean reports() {
        for (Charge charge : acquisition.charges()) {
            if (charge.limit().reportOnly()) {
                return true;
            }
        }
        return false;
    }

    boolean gaveUp() {
        return givenUp;
    }

    /** Says that nobody wants the decision any more. */
    public void giveUp() {
        givenUp = true;
        Keeper layer = keeper;
        if (layer != null) {
            layer.forget(this);
        }
    }

    @Override
    void hurry() {
        hurried = true;
        Keeper layer = keeper;
        if (layer != null) {
            layer.hurry(this);
        }
    }
}
