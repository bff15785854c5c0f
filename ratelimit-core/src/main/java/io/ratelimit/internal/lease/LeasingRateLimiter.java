package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.StateId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Serves a limit with a {@link Limit#withLease lease} from what this instance has taken in advance, so that the store is
 * asked once for many decisions. What was charged in the store never exceeds the limit, and what is not used within a
 * second goes back. Thread-safe.
 *
 * <p>With a lease of 100, a subject's first call charges 100 in the store; the next 99 within a second are served here.
 * Acquisitions of several charges, and costs above the lease, go straight to the store.
 *
 * <p>A decision served here says of {@code remaining} what the store had left after the lease was taken, and what is
 * left of the lease; other instances may have taken some since. Its {@code decidedAt} is when the lease was charged,
 * for that is what a refund undoes.
 *
 * <p>{@link #close} gives back all leases and waits a second for that at most; from then on every call asks the store.
 */
public final class LeasingRateLimiter implements RateLimiter, AutoCloseable {

    private static final long MOST_LEASES = 10_000;
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final RateLimiter store;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Executor completions;
    private final Cache<Charge, Lease> leases;
    private volatile boolean closed;

    /**
     * @param scheduler gives leases back when they are a second old
     * @param completions completes the stages of callers that wait for a refill
     */
    public LeasingRateLimiter(RateLimiter store, Scheduler scheduler, Executor completions) {
        this(store, Ticker.systemTicker(), scheduler, completions, MOST_LEASES);
    }

    LeasingRateLimiter(RateLimiter store, Ticker ticker, Scheduler scheduler, Executor completions, long mostLeases) {
        this.store = store;
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.completions = completions;
        this.leases = Caffeine.newBuilder()
                .maximumSize(mostLeases)
                .expireAfterAccess(IDLE)
                .ticker(ticker)
                .executor(Runnable::run)
                .evictionListener(this::retireLater)
                .build();
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        Charge charge = leased(acquisition);
        Lease lease = charge == null ? null : leases.getIfPresent(one(charge));
        Decision served = charge == null || lease == null ? null : lease.take(charge.cost());
        return served != null ? served : RateLimiter.super.acquire(acquisition);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        Charge charge = leased(acquisition);
        while (charge != null && !closed) {
            Lease lease = leases.get(one(charge), this::newLease);
            Decision served = lease.take(charge.cost());
            if (served != null) {
                return CompletableFuture.completedFuture(served);
            }
            CompletionStage<Decision> answer = lease.acquire(charge.cost());
            if (answer != null) {
                return answer;
            }
        }
        return store.acquireAsync(acquisition);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        Charge charge = leased(acquisition);
        Lease lease = charge == null ? null : leases.getIfPresent(one(charge));
        Decision served = charge == null || lease == null ? null : lease.peek(charge.cost());
        return served != null ? CompletableFuture.completedFuture(served) : store.peekAsync(acquisition);
    }

    /** Puts it back into the lease that it came from, or gives it back to the store if that lease is over. */
    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        Charge charge = decision.allowed() ? leased(acquisition) : null;
        Lease lease = charge == null ? null : leases.getIfPresent(one(charge));
        return charge != null && lease != null && lease.putBack(charge.cost(), decision)
                ? CompletableFuture.completedFuture(null)
                : store.refundAsync(acquisition, decision);
    }

    /**
     * Ends leases before, so that they go back, and after. What a refill under way charges the store forgets or not: as
     * nobody knows which comes first, it does not go back.
     */
    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        List<Lease> before = removed(limit, subject);
        return retired(before)
                .thenCompose(done -> {
                    before.forEach(Lease::forget);
                    return store.resetAsync(limit, subject);
                })
                .thenAccept(done -> removed(limit, subject).forEach(Lease::forget));
    }

    @Override
    public void close() {
        closed = true;
        List<Lease> all = List.copyOf(leases.asMap().values());
        leases.invalidateAll();
        retired(all).completeOnTimeout(null, 1, TimeUnit.SECONDS).join();
    }

    private List<Lease> removed(Limit limit, String subject) {
        List<Lease> removed = new ArrayList<>();
        StateId state = StateId.of(limit, subject);
        leases.asMap().forEach((one, lease) -> {
            if (StateId.of(one).equals(state) && leases.asMap().remove(one, lease)) {
                removed.add(lease);
            }
        });
        return removed;
    }

    private static CompletableFuture<Void> retired(List<Lease> leases) {
        return CompletableFuture.allOf(leases.stream()
                .map(lease -> lease.retire().toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    private Lease newLease(Charge one) {
        return new Lease(new LeaseAccount(one, store, ticker), ticker, scheduler, completions);
    }

    /** Not here: the cache is locked, and whoever waits for what goes back may go on in this thread. */
    private void retireLater(@Nullable Charge one, @Nullable Lease lease, RemovalCause cause) {
        if (lease != null) {
            scheduler.schedule(0, lease::retire);
        }
    }

    /** The one charge that a lease can serve; null if there are others, or it is more than a lease holds. */
    private static @Nullable Charge leased(Acquisition acquisition) {
        if (acquisition.charges().size() != 1) {
            return null;
        }
        Charge charge = acquisition.charges().get(0);
        long lease = charge.limit().lease();
        return lease > 1 && charge.cost() <= lease ? charge : null;
    }

    /** The same charge at cost 1, by which leases are found. */
    private static Charge one(Charge charge) {
        return charge.cost() == 1 ? charge : new Charge(charge.limit(), charge.subject(), 1);
    }
}
