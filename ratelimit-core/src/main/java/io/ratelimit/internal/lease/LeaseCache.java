package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.StateId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The leases of this instance, one for each limit and subject. Thread-safe. */
final class LeaseCache {

    private static final Duration IDLE = Duration.ofSeconds(10);

    private final Cache<Charge, Lease> leases;
    private final Function<Charge, Lease> newLease;

    /**
     * @param newLease makes the lease for charges like one of cost 1
     * @param retireLater retires a lease on another thread: the cache is locked when it evicts one, and callbacks of the
     *     refund may run on the retiring thread
     */
    LeaseCache(Function<Charge, Lease> newLease, Consumer<Lease> retireLater, Ticker ticker, long mostLeases) {
        this.newLease = newLease;
        this.leases = Caffeine.newBuilder()
                .maximumSize(mostLeases)
                .expireAfterAccess(IDLE)
                .ticker(ticker)
                .executor(Runnable::run)
                .<Charge, Lease>evictionListener((one, lease, cause) -> {
                    if (lease != null) {
                        retireLater.accept(lease);
                    }
                })
                .build();
    }

    long size() {
        leases.cleanUp();
        return leases.estimatedSize();
    }

    /** Returns the lease that serves a charge, a new one if there is none. */
    Lease of(Charge charge) {
        return leases.get(one(charge), newLease);
    }

    @Nullable
    Lease ifPresent(Charge charge) {
        return leases.getIfPresent(one(charge));
    }

    /** Removes all leases of a limit and subject, whatever the limit's numbers, and returns them. */
    List<Lease> remove(Limit limit, String subject) {
        StateId state = StateId.of(limit, subject);
        return removeIf(one -> StateId.of(one).equals(state));
    }

    /** Removes all leases and returns them. */
    List<Lease> removeAll() {
        return removeIf(one -> true);
    }

    private List<Lease> removeIf(Predicate<Charge> condition) {
        List<Lease> removed = new ArrayList<>();
        leases.asMap().forEach((one, lease) -> {
            if (condition.test(one) && leases.asMap().remove(one, lease)) {
                removed.add(lease);
            }
        });
        return removed;
    }

    /** Returns the same charge with cost 1, which is the key of its lease. */
    private static Charge one(Charge charge) {
        return charge.cost() == 1 ? charge : new Charge(charge.limit(), charge.subject(), 1);
    }
}
