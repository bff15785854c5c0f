package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Decision;
import io.ratelimit.internal.CallerFuture;
import io.ratelimit.internal.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The part of a limit's quota that this instance holds for one subject: a {@link Grant} that serves calls until it is
 * used up or a second old. Then one call at a time refills it. Calls that arrive meanwhile wait and are served in
 * order. Thread-safe.
 *
 * <p>If the store refuses a refill, each waiting call goes to the store alone, with exactly its own cost. So the last
 * requests of a quota are served, and every refusal comes from the store.
 */
final class Lease {

    private final LeaseAccount account;
    private final Ticker ticker;
    private final HeldGrant held;
    private final Executor completions;

    // guarded by this
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private boolean refilling;
    private boolean retired;

    private record Waiting(long cost, CompletableFuture<Decision> answer) {}

    Lease(LeaseAccount account, Ticker ticker, Scheduler scheduler, Executor completions) {
        this.account = account;
        this.ticker = ticker;
        this.completions = completions;
        this.held = new HeldGrant(account, ticker, scheduler);
    }

    /** Serves the cost from the held grant; returns null if too little is left. */
    @Nullable
    Decision take(long cost) {
        return held.take(cost);
    }

    /** Returns what {@link #take} would return, and takes nothing. */
    @Nullable
    Decision peek(long cost) {
        return held.peek(cost);
    }

    /** Puts a cost back if the grant that served the decision is still held; returns whether it did. */
    boolean putBack(long cost, Decision decision) {
        return held.putBack(cost, decision);
    }

    /** Returns a stage of the decision, which may wait for a refill; returns null if this lease has been retired. */
    @Nullable
    CompletionStage<Decision> acquire(long cost) {
        CompletableFuture<Decision> answer = new CallerFuture<>(completions);
        Grant old;
        synchronized (this) {
            Decision served = take(cost);
            if (served != null || retired) {
                return served == null ? null : CompletableFuture.completedFuture(served);
            }
            waiting.add(new Waiting(cost, answer));
            if (refilling) {
                return answer;
            }
            refilling = true;
            old = held.newest();
        }
        if (old == null) {
            refill(cost, 0, null);
        } else {
            refillAfter(old, cost);
        }
        return answer;
    }

    /** Retires this lease: gives back what is held, and later what a refill under way still brings. */
    CompletionStage<?> retire() {
        synchronized (this) {
            retired = true;
        }
        return held.end();
    }

    /** Retires this lease after the store was reset. Nothing goes back, because nothing is charged any more. */
    void forget() {
        account.forget();
        retire();
    }

    /**
     * Refills for a call of that cost. Uses the rest of the old grant for that call if the grant has the same key and
     * has not expired.
     */
    private void refillAfter(Grant old, long cost) {
        long left = old.close();
        if (left < cost && account.isOfOneKey() && old.lifeNanos(ticker.read()) > 0) {
            refill(cost, left, old);
        } else {
            account.giveBack(left, old).whenComplete((done, failure) -> refill(cost, 0, null));
        }
    }

    /** Refills for the first waiting call, which costs {@code cost} and gets {@code left} from the old grant. */
    private void refill(long cost, long left, @Nullable Grant old) {
        long amount = Math.max(account.leaseSize(), cost) - left;
        long startNanos = ticker.read();
        account.acquire(amount).whenComplete((decision, failure) -> {
            if (failure != null) {
                account.giveBack(left, old);
                all().forEach(each -> each.answer.completeExceptionally(failure));
            } else if (decision.allowed()) {
                Grant fresh = account.grant(decision, amount, startNanos);
                serveFirst(fresh, left, old);
                serveOthers(fresh);
            } else {
                account.giveBack(left, old)
                        .whenComplete((done, failed) -> all().forEach(each -> retry(each, amount, left, decision)));
            }
        });
    }

    private void serveFirst(Grant fresh, long left, @Nullable Grant old) {
        Waiting first;
        synchronized (this) {
            first = waiting.remove();
        }
        Decision served = Objects.requireNonNull(fresh.take(first.cost - left, ticker.read()));
        first.answer.complete(left == 0 || old == null ? served : old.asOfThis(served));
    }

    private void serveOthers(Grant fresh) {
        List<Runnable> answers = new ArrayList<>();
        Waiting unserved;
        boolean ended;
        synchronized (this) {
            for (unserved = waiting.peek(); unserved != null; unserved = waiting.peek()) {
                Waiting next = unserved;
                Decision served = fresh.take(next.cost, ticker.read());
                if (served == null) {
                    break;
                }
                waiting.remove();
                answers.add(() -> next.answer.complete(served));
            }
            ended = retired;
            if (unserved == null) {
                refilling = false;
                held.replaceBy(fresh);
            }
        }
        answers.forEach(Runnable::run);
        if (unserved != null) {
            refillAfter(fresh, unserved.cost);
        } else if (ended) {
            held.end();
        }
    }

    /**
     * Acquires one call's cost from the store, unless the store has just refused that cost and nothing was given back
     * since.
     */
    private void retry(Waiting each, long amount, long left, Decision refusal) {
        if (left == 0 && each.cost == amount) {
            each.answer.complete(refusal);
            return;
        }
        account.acquire(each.cost).whenComplete((decision, failure) -> {
            if (failure == null) {
                each.answer.complete(decision);
            } else {
                each.answer.completeExceptionally(failure);
            }
        });
    }

    /** Returns all waiting calls and removes them. */
    private synchronized List<Waiting> all() {
        List<Waiting> all = List.copyOf(waiting);
        waiting.clear();
        refilling = false;
        return all;
    }
}
