package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Decision;
import io.ratelimit.internal.Scheduler;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The current {@link Grant} of a {@link Lease}. Gives it back when it is a second old. Thread-safe. */
final class HeldGrant {

    private final LeaseAccount account;
    private final Ticker ticker;
    private final Scheduler scheduler;

    private volatile @Nullable Grant grant;

    // guarded by this
    private boolean endScheduled;

    HeldGrant(LeaseAccount account, Ticker ticker, Scheduler scheduler) {
        this.account = account;
        this.ticker = ticker;
        this.scheduler = scheduler;
    }

    /** Serves the cost; returns null if too little is left or the grant has expired. */
    @Nullable
    Decision take(long cost) {
        Grant held = grant;
        long nowNanos = ticker.read();
        return held == null || held.lifeNanos(nowNanos) <= 0 ? null : held.take(cost, nowNanos);
    }

    /** Returns what {@link #take} would return, and takes nothing. */
    @Nullable
    Decision peek(long cost) {
        Grant held = grant;
        long nowNanos = ticker.read();
        return held == null || held.lifeNanos(nowNanos) <= 0 ? null : held.peek(cost, nowNanos);
    }

    /** Puts a cost back if the decision was served from this grant; returns whether it did. */
    boolean putBack(long cost, Decision decision) {
        Grant held = grant;
        return held != null && held.lifeNanos(ticker.read()) > 0 && held.putBack(cost, decision);
    }

    /** Returns the newest grant, which may be used up, expired or closed; null before the first. */
    @Nullable
    Grant newest() {
        return grant;
    }

    synchronized void replaceBy(Grant fresh) {
        grant = fresh;
        endWhenOld(fresh);
    }

    /** Closes the grant and gives its unused rest back to the store. */
    CompletionStage<?> end() {
        return account.giveBack(grant);
    }

    private void endWhenOld(Grant held) {
        if (!endScheduled) {
            endScheduled = true;
            scheduler.schedule(held.lifeNanos(ticker.read()), this::endIfOld);
        }
    }

    private void endIfOld() {
        synchronized (this) {
            endScheduled = false;
            Grant held = grant;
            if (held != null && held.lifeNanos(ticker.read()) > 0) {
                endWhenOld(held);
                return;
            }
        }
        end();
    }
}
