package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.Decide;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The part of a limit's quota that this instance holds for one subject: a {@link Grant} that serves calls until it is
 * used up or a second old. Then one call at a time refills it: it gives back what is left, so that each decision is
 * served from one grant and is settled there. Calls that arrive meanwhile wait and are served in order. Thread-safe.
 *
 * <p>If the store refuses a refill, each waiting call goes to the store alone, with exactly its own cost. So the last
 * requests of a quota are served, and every refusal comes from the store.
 */
final class Lease {

    private final LeaseAccount account;
    private final Leases layer;
    private final Ticker ticker;
    private final Scheduler scheduler;

    /** The newest grant, which may be used up, expired or closed; null before the first. */
    private volatile @Nullable Grant grant;

    /** Completes at the end of the refill under way; complete if there is none. */
    private volatile CompletableFuture<?> refilled = CompletableFuture.completedFuture(null);

    private volatile boolean retired;

    // guarded by this
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private boolean endScheduled;

    /** A call that waits for a refill, and the timer that ends that. */
    private record Waiting(long cost, Decide call, Future<?> timer) {}

    Lease(LeaseAccount account, Leases layer, Ticker ticker, Scheduler scheduler) {
        this.account = account;
        this.layer = layer;
        this.ticker = ticker;
        this.scheduler = scheduler;
    }

    /** True if it serves calls of a limit with these numbers. */
    boolean isOf(Limit limit) {
        return account.isOf(limit);
    }

    /** True if this instance may serve calls from it now. */
    boolean isHeld() {
        return unexpired(ticker.read()) != null;
    }

    /** Serves the cost; returns null if too little is left or the grant has expired. */
    @Nullable
    Decision take(long cost) {
        long nowNanos = ticker.read();
        Grant held = unexpired(nowNanos);
        return held == null ? null : held.take(cost, nowNanos);
    }

    /** Returns what {@link #take} would return, and takes nothing. */
    @Nullable
    Decision peek(long cost) {
        long nowNanos = ticker.read();
        Grant held = unexpired(nowNanos);
        return held == null ? null : held.peek(cost, nowNanos);
    }

    /** Puts a cost back if the grant that served the decision is still held; returns whether it did. */
    boolean putBack(long cost, Decision decision) {
        Grant held = unexpired(ticker.read());
        return held != null && held.putBack(cost, decision);
    }

    private @Nullable Grant unexpired(long nowNanos) {
        Grant newest = grant;
        return newest == null || newest.lifeNanos(nowNanos) <= 0 ? null : newest;
    }

    /** Serves the call, perhaps after a refill; returns false if this lease has been retired. */
    boolean join(Decide call, long cost) {
        Decision served;
        boolean refills = false;
        synchronized (this) {
            served = take(cost);
            if (served == null && retired) {
                return false;
            }
            if (served == null) {
                waiting.add(waiting(call, cost));
                refills = refilled.isDone();
                refilled = refills ? new CompletableFuture<>() : refilled;
            }
        }
        if (served != null) {
            layer.serve(call, served);
        } else if (refills) {
            refill(grant);
        }
        return true;
    }

    private Waiting waiting(Decide call, long cost) {
        long leftNanos = call.deadlineNanos(layer.timeout().toNanos()) - System.nanoTime();
        return new Waiting(cost, call, scheduler.schedule(leftNanos, () -> expire(call)));
    }

    /** Fails a call whose time is over and that is not served yet. */
    private void expire(Decide call) {
        boolean waited;
        synchronized (this) {
            waited = waiting.removeIf(each -> each.call == call);
        }
        if (waited) {
            call.goOn(() -> layer.refuse(call, notInTime()));
        }
    }

    private StoreUnavailableException notInTime() {
        return new StoreUnavailableException(
                "Redis did not answer within %d ms".formatted(layer.timeout().toMillis()));
    }

    /**
     * Retires this lease. The stage completes when what is held has gone back. What a refill under way still brings goes
     * back later.
     */
    CompletionStage<?> retire() {
        synchronized (this) {
            retired = true; // under the lock, so that no call joins that the refill under way does not see
        }
        return account.giveBack(grant);
    }

    /** Retires this lease. The stage completes when what is held and what a refill under way brings have gone back. */
    CompletionStage<?> close() {
        return retire().thenCompose(done -> refilled);
    }

    /** Retires this lease after the store was reset. Nothing goes back, because nothing is charged any more. */
    void forget() {
        account.forget();
        retire();
    }

    /**
     * Gives back what is left of the old grant, then charges a new one and serves the waiting calls from it; if this lease
     * was retired meanwhile, they go to the store alone.
     */
    private void refill(@Nullable Grant old) {
        account.giveBack(old).whenComplete((done, failed) -> {
            if (retired) {
                unserved().forEach(each -> goOn(each, null));
            } else {
                charge();
            }
        });
    }

    private void charge() {
        long startNanos = ticker.read();
        account.charge(ended -> {
            Decision decision = ended.decision();
            if (decision == null) {
                Throwable failure = Objects.requireNonNull(ended.failure());
                unserved().forEach(each -> each.call.goOn(() -> layer.refuse(each.call, failure)));
            } else if (decision.allowed()) {
                serve(account.grant(decision, startNanos));
            } else {
                unserved().forEach(each -> goOn(each, null));
            }
        });
    }

    /** Answers a call by the decision, or passes it to the store if there is none. */
    private void goOn(Waiting each, @Nullable Decision decision) {
        each.call.goOn(() -> layer.serve(each.call, decision));
    }

    /** Serves waiting calls in order, and refills again for those that are left. */
    private void serve(Grant fresh) {
        List<Runnable> answers = new ArrayList<>();
        boolean refillsAgain;
        boolean ended;
        synchronized (this) {
            for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
                Waiting first = next;
                boolean givenUp = first.call.isGivenUp();
                Decision served = givenUp ? null : fresh.take(first.cost, ticker.read());
                if (served == null && !givenUp) {
                    break;
                }
                waiting.remove();
                first.timer.cancel(false);
                answers.add(served == null ? () -> cancelled(first) : () -> goOn(first, served));
            }
            refillsAgain = !waiting.isEmpty();
            ended = retired;
            if (!refillsAgain) {
                grant = fresh;
                scheduleEnd(fresh);
            }
            if (!refillsAgain && !ended) {
                refilled.complete(null);
            }
        }
        answers.forEach(Runnable::run);
        if (refillsAgain) {
            refill(fresh);
        } else if (ended) {
            account.giveBack(fresh).whenComplete((done, failed) -> refilled.complete(null));
        }
    }

    private void cancelled(Waiting each) {
        each.call.goOn(() -> layer.refuse(each.call, new CancellationException()));
    }

    /** Ends a refill that brought nothing; returns all waiting calls and removes them. */
    private synchronized List<Waiting> unserved() {
        refilled.complete(null);
        List<Waiting> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(each -> each.timer.cancel(false));
        return all;
    }

    private void scheduleEnd(Grant held) {
        if (!endScheduled) {
            endScheduled = true;
            scheduler.schedule(held.lifeNanos(ticker.read()), this::endIfOld);
        }
    }

    private void endIfOld() {
        Grant newest;
        synchronized (this) {
            endScheduled = false;
            newest = grant;
            if (newest != null && newest.lifeNanos(ticker.read()) > 0) {
                scheduleEnd(newest);
                return;
            }
        }
        account.giveBack(newest);
    }
}
