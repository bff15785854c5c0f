package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Decision;
import io.ratelimit.internal.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The {@link Grant} of a {@link Lease} that serves now, until it is a second old and goes back. Thread-safe. */
final class HeldGrant {

    private final LeaseAccount account;
    private final Ticker ticker;
    private final Scheduler scheduler;

    private volatile @Nullable Grant grant;

    // guarded by this
    private boolean endScheduled;

    /** None yet. */
    HeldGrant(LeaseAccount account, Ticker ticker, Scheduler scheduler) {
        this.account = account;
        this.ticker = ticker;
        this.scheduler = scheduler;
    }

    /** Serves, if there is enough; null if not. */
    @Nullable
    Decision take(long cost) {
        Grant held = grant;
        long nowNanos = ticker.read();
        return held == null || held.lifeNanos(nowNanos) <= 0 ? null : held.take(cost, nowNanos);
    }

    /** What {@link #take} would answer. */
    @Nullable
    Decision peek(long cost) {
        Grant held = grant;
        long nowNanos = ticker.read();
        return held == null || held.lifeNanos(nowNanos) <= 0 ? null : held.peek(cost, nowNanos);
    }

    /** Takes back what that decision was served, if it was served from this one. */
    boolean putBack(long cost, Decision decision) {
        Grant held = grant;
        return held != null && held.lifeNanos(ticker.read()) > 0 && held.putBack(cost, decision);
    }

    /** The newest, which may be used up, too old or closed; null before the first. */
    @Nullable
    Grant newest() {
        return grant;
    }

    synchronized void replaceBy(Grant fresh) {
        grant = fresh;
        endWhenOld(fresh);
    }

    /** Serves no more: what is left goes back. */
    CompletionStage<?> end() {
        Grant held = grant;
        return held == null ? CompletableFuture.completedFuture(null) : account.giveBack(held.close(), held);
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
