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
    private final Scheduler alarm;

    private volatile @Nullable Grant grant;

    // guarded by this
    private boolean alarmed;

    /** None yet. */
    HeldGrant(LeaseAccount account, Ticker ticker, Scheduler alarm) {
        this.account = account;
        this.ticker = ticker;
        this.alarm = alarm;
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
        ringWhenOld(fresh);
    }

    /** Serves no more: what is left goes back. */
    CompletionStage<?> end() {
        Grant held = grant;
        return held == null ? CompletableFuture.completedFuture(null) : account.giveBack(held.close(), held);
    }

    private void ringWhenOld(Grant held) {
        if (!alarmed) {
            alarmed = true;
            alarm.ringAfter(held.lifeNanos(ticker.read()), this::endIfOld);
        }
    }

    private void endIfOld() {
        synchronized (this) {
            alarmed = false;
            Grant held = grant;
            if (held != null && held.lifeNanos(ticker.read()) > 0) {
                ringWhenOld(held);
                return;
            }
        }
        end();
    }
}
