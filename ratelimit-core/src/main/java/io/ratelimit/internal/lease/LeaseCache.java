package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.StateId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The leases of this instance, one for each limit and subject, whatever the limit's numbers. Thread-safe. */
final class LeaseCache {

    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final CompletionStage<?> NONE_BEFORE = CompletableFuture.completedFuture(null);

    private final Cache<StateId, Lease> leases;
    private final BiFunction<Charge, CompletionStage<?>, Lease> newLease;

    /**
     * @param newLease makes the lease for charges like one of cost 1, which charges nothing before the stage is complete
     * @param retireLater retires a lease on another thread: the cache is locked when it evicts one, and callbacks of the
     *     refund may run on the retiring thread
     */
    LeaseCache(
            BiFunction<Charge, CompletionStage<?>, Lease> newLease,
            Consumer<Lease> retireLater,
            Ticker ticker,
            long mostLeases) {
        this.newLease = newLease;
        this.leases = Caffeine.newBuilder()
                .maximumSize(mostLeases)
                .expireAfterAccess(IDLE)
                .ticker(ticker)
                .executor(Runnable::run)
                .<StateId, Lease>evictionListener((state, lease, cause) -> {
                    if (lease != null) {
                        retireLater.accept(lease);
                    }
                })
                .build();
    }

    /** Returns how many are held now. */
    long size() {
        return leases.asMap().values().stream().filter(Lease::isHeld).count();
    }

    /**
     * Returns the lease that serves a charge, a new one if there is none. One of other numbers ends first, so that nothing of it is
     * held any more when the new one is charged.
     */
    Lease of(Charge charge) {
        StateId state = StateId.of(charge);
        Lease lease = leases.get(state, key -> newLease.apply(one(charge), NONE_BEFORE));
        while (!lease.isOf(charge.limit())) {
            Lease next = newLease.apply(one(charge), lease.close());
            lease = leases.asMap().replace(state, lease, next)
                    ? next
                    : leases.get(state, key -> newLease.apply(one(charge), NONE_BEFORE));
        }
        return lease;
    }

    /** Returns the lease that serves a charge; null if there is none. */
    @Nullable
    Lease ifPresent(Charge charge) {
        Lease lease = leases.getIfPresent(StateId.of(charge));
        return lease == null || !lease.isOf(charge.limit()) ? null : lease;
    }

    /** Removes the lease of a limit and subject, whatever the limit's numbers, and returns it, if there is one. */
    List<Lease> remove(Limit limit, String subject) {
        return removed(StateId.of(limit, subject)).toList();
    }

    /** Removes all leases and returns them. */
    List<Lease> removeAll() {
        return leases.asMap().keySet().stream().flatMap(this::removed).toList();
    }

    private Stream<Lease> removed(StateId state) {
        return Stream.ofNullable(leases.asMap().remove(state));
    }

    private static Charge one(Charge charge) {
        return charge.cost() == 1 ? charge : new Charge(charge.limit(), charge.subject(), 1);
    }
}
