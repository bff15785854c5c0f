package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.ForwardingRateLimiter;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.Settlements;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
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
public final class LeasingRateLimiter extends ForwardingRateLimiter implements AutoCloseable {

    private static final long MOST_LEASES = 10_000;

    private final LeaseCache leases;
    private final Duration closing;
    private volatile boolean closed;

    /**
     * @param scheduler gives leases back when they are a second old
     * @param completions completes the stages of callers that wait for a refill
     */
    public LeasingRateLimiter(RateLimiter store, Scheduler scheduler, Executor completions) {
        this(store, Ticker.systemTicker(), scheduler, completions, MOST_LEASES);
    }

    LeasingRateLimiter(RateLimiter store, Ticker ticker, Scheduler scheduler, Executor completions, long mostLeases) {
        this(store, ticker, scheduler, completions, mostLeases, Duration.ofSeconds(1));
    }

    /** @param closing how long {@link #close} waits at most */
    LeasingRateLimiter(
            RateLimiter store,
            Ticker ticker,
            Scheduler scheduler,
            Executor completions,
            long mostLeases,
            Duration closing) {
        super(store);
        this.closing = closing;
        this.leases = new LeaseCache(
                one -> new Lease(new LeaseAccount(one, store, ticker), ticker, scheduler, completions),
                lease -> scheduler.schedule(0, lease::retire),
                ticker,
                mostLeases);
    }

    /** Returns how many subjects this instance has a lease for. */
    public long leases() {
        return leases.size();
    }

    /** A call that takes what is left gives the lease back first, because the lease is part of what is left. */
    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        if (acquisition.times() > 1) {
            return withoutLease(acquisition);
        }
        Charge charge = leased(acquisition);
        while (charge != null && !closed) {
            Lease lease = leases.of(charge);
            if (closed) {
                break; // close() may not have seen this lease
            }
            Decision served = lease.take(charge.cost());
            if (served != null) {
                return CompletableFuture.completedFuture(served);
            }
            CompletionStage<Decision> answer = lease.acquire(charge.cost());
            if (answer != null) {
                return answer;
            }
        }
        return limiter.acquireAsync(acquisition);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        Charge charge = leased(acquisition);
        Lease lease = charge == null ? null : leases.ifPresent(charge);
        Decision served = charge == null || lease == null ? null : lease.peek(charge.cost());
        return served != null ? CompletableFuture.completedFuture(served) : limiter.peekAsync(acquisition);
    }

    /**
     * Puts what is given back into the lease that it came from. If that lease has ended, or the call cost more than it
     * was charged, the store settles.
     */
    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        Charge charge = decision.taken() == 1 ? leased(acquisition) : null;
        Lease lease = charge == null ? null : leases.ifPresent(charge);
        if (charge != null && lease != null) {
            long unused = charge.cost() - Settlements.ofEach(List.of(charge), actual)[0];
            if (unused > 0 && lease.putBack(unused, decision)) {
                return CompletableFuture.completedFuture(null);
            }
        }
        return limiter.settleAsync(acquisition, decision, actual);
    }

    /**
     * Ends the subject's leases before the reset and those made during it. A refill that was under way may have been
     * charged before or after the reset; since that is not known, it is not given back.
     */
    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        List<Lease> before = leases.remove(limit, subject);
        return all(before, Lease::retire)
                .thenCompose(done -> {
                    before.forEach(Lease::forget);
                    return limiter.resetAsync(limit, subject);
                })
                .thenAccept(done -> leases.remove(limit, subject).forEach(Lease::forget));
    }

    @Override
    public void close() {
        closed = true;
        all(leases.removeAll(), Lease::close)
                .completeOnTimeout(null, closing.toNanos(), TimeUnit.NANOSECONDS)
                .join();
    }

    private CompletionStage<Decision> withoutLease(Acquisition acquisition) {
        List<Lease> given = acquisition.charges().stream()
                .map(leases::remove)
                .filter(Objects::nonNull)
                .toList();
        return given.isEmpty()
                ? limiter.acquireAsync(acquisition)
                : all(given, Lease::retire).thenCompose(done -> limiter.acquireAsync(acquisition));
    }

    /** Ends leases; the stage completes when the stages of all of them are complete. */
    private static CompletableFuture<Void> all(List<Lease> leases, Function<Lease, CompletionStage<?>> end) {
        return CompletableFuture.allOf(leases.stream()
                .map(lease -> end.apply(lease).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    /** Returns the charge if a lease can serve it; null if there are several charges or the cost exceeds the lease. */
    private static @Nullable Charge leased(Acquisition acquisition) {
        if (acquisition.charges().size() != 1 || acquisition.times() > 1) {
            return null;
        }
        Charge charge = acquisition.charges().get(0);
        long lease = charge.limit().lease();
        return lease > 1 && charge.cost() <= lease ? charge : null;
    }
}
