package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Forget;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;
import io.ratelimit.internal.call.Settlements;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves limits with a {@link Limit#withLease lease} from quota that this instance has taken in advance, so that one
 * store call serves many decisions. The charges in the store never exceed the limit, and what is not used within a
 * second is given back. Thread-safe.
 *
 * <p>Example: with a lease of 100, a subject's first call charges 100 in the store, and the next 99 calls within a
 * second are served here. Acquisitions of several charges, and costs above the lease, go straight to the store.
 *
 * <p>For a decision made here, {@code remaining} is what the store had left after the lease was taken plus what is left
 * of the lease. Other instances may have taken some since. {@code decidedAt} is the time at which the lease was
 * charged, because a refund undoes that charge.
 *
 * <p>{@link #close} gives back all leases, also those that are being refilled, and waits for at most a second until that
 * is done. Later calls all go to the store.
 */
public final class Leases extends Layer implements AutoCloseable {

    private static final long MOST_LEASES = 10_000;

    private final LeaseCache leases;
    private final Executor callbacks;
    private final Supplier<Duration> timeout;
    private final Duration closing;
    private volatile boolean closed;

    /**
     * @param timeout how long a call may wait for a refill and its decision together
     * @param scheduler gives leases back when they are a second old
     * @param callbacks runs refills
     */
    public Leases(Layer next, Supplier<Duration> timeout, Scheduler scheduler, Executor callbacks) {
        this(next, timeout, Ticker.systemTicker(), scheduler, callbacks, MOST_LEASES, Duration.ofSeconds(1));
    }

    /** @param closing how long {@link #close} waits at most */
    Leases(
            Layer next,
            Supplier<Duration> timeout,
            Ticker ticker,
            Scheduler scheduler,
            Executor callbacks,
            long mostLeases,
            Duration closing) {
        super(next);
        this.callbacks = callbacks;
        this.timeout = timeout;
        this.closing = closing;
        this.leases = new LeaseCache(
                (one, before) -> new Lease(new LeaseAccount(one, this, ticker, before), this, ticker, scheduler),
                lease -> scheduler.schedule(0, lease::retire),
                ticker,
                mostLeases);
    }

    /** Returns how many subjects this instance holds a lease for. */
    public long leases() {
        return leases.size();
    }

    @Override
    public void call(Call call) {
        if (call instanceof Decide decide) {
            decide(decide, leased(decide.acquisition()));
        } else if (call instanceof Settle settle) {
            settle(settle);
        } else if (call instanceof Forget forget && !forget.isOfBansOnly()) {
            forget(forget);
        } else {
            passOn(call);
        }
    }

    private void decide(Decide call, @Nullable Charge charge) {
        if (charge == null || closed) {
            passOn(call);
        } else if (call.isCharging()) {
            acquire(call, charge);
        } else {
            Lease lease = leases.ifPresent(charge);
            Decision served = lease == null ? null : lease.peek(charge.cost());
            serve(call, served);
        }
    }

    private void acquire(Decide call, Charge charge) {
        while (!closed) {
            Lease lease = leases.of(charge);
            if (closed) {
                break; // close() may not have seen this lease
            }
            Decision served = lease.take(charge.cost());
            if (served != null) {
                answer(call, served);
                return;
            }
            if (lease.join(call, charge.cost())) {
                return;
            }
        }
        passOn(call);
    }

    /**
     * Puts what is given back into the lease that it came from. If that lease has ended, or the call cost more than it
     * was charged, the store settles.
     */
    private void settle(Settle call) {
        Charge charge = call.settled().taken() == 1 ? leased(call.acquisition()) : null;
        Lease lease = charge == null ? null : leases.ifPresent(charge);
        if (charge != null && lease != null) {
            long unused = charge.cost() - Settlements.ofEach(List.of(charge), call.actual())[0];
            if (unused > 0 && lease.putBack(unused, call.settled())) {
                done(call);
                return;
            }
        }
        passOn(call);
    }

    /**
     * Ends the subject's leases before the reset and those made during it. A refill that was under way may have been
     * charged before or after the reset; since that is not known, it is not given back.
     */
    private void forget(Forget call) {
        List<Lease> before = leases.remove(call.limit(), call.subject());
        CompletableFuture<Void> retired = all(before, Lease::retire);
        Runnable reset = () -> {
            before.forEach(Lease::forget);
            passOn(call);
        };
        if (retired.isDone()) {
            reset.run();
        } else {
            retired.thenRun(() -> call.goOn(reset));
        }
    }

    @Override
    protected void answered(Call call) {
        if (call instanceof Forget forget && !forget.isOfBansOnly() && call.failure() == null) {
            leases.remove(forget.limit(), forget.subject()).forEach(Lease::forget);
        } else if (call instanceof Block block && call.failure() == null) {
            leases.remove(block.limit(), block.subject()).forEach(Lease::retire);
        }
        back(call);
    }

    /** Answers the call on a thread of its own, or passes it on if there is no decision. */
    void serve(Decide call, @Nullable Decision served) {
        if (served == null) {
            passOn(call);
        } else {
            answer(call, served);
        }
    }

    /** Fails the call on a thread of its own. */
    void refuse(Decide call, Throwable failure) {
        fail(call, failure);
    }

    Duration timeout() {
        return timeout.get();
    }

    /** Charges the store by an acquisition that serves several calls. */
    void acquire(Acquisition acquisition, Consumer<Call> then) {
        passOn(Decide.alone(acquisition, this, callbacks, then));
    }

    /** Gives back to the store what an acquisition was charged. */
    void refund(Acquisition acquisition, Decision taken, Consumer<Call> then) {
        passOn(Settle.refund(acquisition, taken, this, callbacks, then));
    }

    @Override
    public void close() {
        closed = true;
        all(leases.removeAll(), Lease::close)
                .completeOnTimeout(null, closing.toNanos(), TimeUnit.NANOSECONDS)
                .join();
    }

    /** Ends leases; the stage completes when the stages of all of them are complete. */
    private static CompletableFuture<Void> all(List<Lease> leases, Function<Lease, CompletionStage<?>> end) {
        return CompletableFuture.allOf(leases.stream()
                .map(lease -> end.apply(lease).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    /** Returns the charge if a lease can serve it; null if there are several charges or the cost exceeds the lease. */
    private static @Nullable Charge leased(Acquisition acquisition) {
        if (acquisition.charges().size() != 1) {
            return null;
        }
        Charge charge = acquisition.charges().get(0);
        long lease = charge.limit().lease();
        return lease > 1 && charge.cost() <= lease ? charge : null;
    }
}
