package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Stages;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a {@link Lease} takes from the store and gives back to it, for its one limit and subject. Thread-safe. */
final class LeaseAccount {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseAccount.class);
    private static final long LIFE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Charge one;
    private final RateLimiter store;
    private final Ticker ticker;
    private volatile boolean forgotten;

    /**
     * Of that limit and subject.
     *
     * @param one a charge of them
     */
    LeaseAccount(Charge one, RateLimiter store, Ticker ticker) {
        this.one = one;
        this.store = store;
        this.ticker = ticker;
    }

    long leaseSize() {
        return one.limit().lease();
    }

    /** Whether all that is charged is of one key of the store, so that a refund of it finds it. */
    boolean isOfOneKey() {
        return one.limit().shards() == 1;
    }

    /** Whatever goes wrong is the stage's failure, so that nobody waits for a refill that never began. */
    CompletionStage<Decision> acquire(long cost) {
        return Stages.call(() -> store.acquireAsync(of(cost)));
    }

    /** All that was charged by that decision, to be served within a second of having been asked for. */
    Grant grant(Decision charged, long cost, long askedNanos) {
        return new Grant(charged, cost, askedNanos + LIFE_NANOS, ticker.read());
    }

    /** Never fails: what cannot be given back stays charged as long as the limit counts it. */
    CompletionStage<?> giveBack(long cost, @Nullable Grant from) {
        if (cost == 0 || from == null || forgotten) {
            return CompletableFuture.completedFuture(null);
        }
        return Stages.call(() -> store.refundAsync(of(cost), from.charged())).exceptionally(failure -> {
            LOG.debug(
                    "limit '{}': part of a lease was not given back",
                    one.limit().name(),
                    failure);
            return null;
        });
    }

    /** The store has forgotten what it charged, so nothing goes back any more. */
    void forget() {
        forgotten = true;
    }

    private Acquisition of(long cost) {
        return Acquisition.of(one.limit(), one.subject(), cost);
    }
}
