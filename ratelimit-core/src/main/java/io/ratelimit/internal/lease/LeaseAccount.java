package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.Call;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Charges the store for a {@link Lease} and gives back what it did not use, for one limit and subject. Thread-safe. */
final class LeaseAccount {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseAccount.class);
    private static final long LIFE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Charge one;
    private final Leases layer;
    private final Ticker ticker;
    private volatile boolean forgotten;

    /** Completes when everything has gone back that was given back until now. */
    private CompletableFuture<?> returned; // guarded by this

    /**
     * @param one a charge of cost 1 for the limit and the subject
     * @param before completes when the lease before this one has gone back
     */
    LeaseAccount(Charge one, Leases layer, Ticker ticker, CompletionStage<?> before) {
        this.one = one;
        this.layer = layer;
        this.ticker = ticker;
        this.returned = before.toCompletableFuture();
    }

    boolean isOf(Limit limit) {
        return one.limit().equals(limit);
    }

    private long leaseSize() {
        return one.limit().lease();
    }

    /** Charges a whole lease. */
    void charge(Consumer<Call> then) {
        layer.acquire(of(leaseSize()), then);
    }

    /** Returns a grant of a whole lease. It expires a second after the call to the store began. */
    Grant grant(Decision charged, long startNanos) {
        return new Grant(charged, leaseSize(), startNanos + LIFE_NANOS, ticker.read());
    }

    /**
     * Closes the grant, if there is one, and gives its unused rest back. The stage completes when that and all that was
     * given back before has gone back. It never fails: what cannot be given back stays charged until it expires.
     */
    CompletionStage<?> giveBack(@Nullable Grant grant) {
        CompletableFuture<?> all;
        CompletableFuture<Void> gone = new CompletableFuture<>();
        long rest;
        synchronized (this) {
            rest = grant == null ? 0 : grant.close();
            if (grant == null || rest == 0 || forgotten) {
                return returned;
            }
            returned = returned.isDone() ? gone : CompletableFuture.allOf(returned, gone);
            all = returned;
        }
        layer.refund(of(rest), grant.charged(), ended -> {
            if (ended.failure() != null) {
                LOG.debug(
                        "limit '{}': part of a lease was not given back",
                        one.limit().name(),
                        ended.failure());
            }
            gone.complete(null);
        });
        return all;
    }

    /** Stops giving anything back, because the store was reset. */
    void forget() {
        forgotten = true;
    }

    private Acquisition of(long cost) {
        return Acquisition.of(one.limit(), one.subject(), cost);
    }
}
