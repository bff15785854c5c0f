package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Decision;
import io.ratelimit.internal.CallerFuture;
import io.ratelimit.internal.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
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
    private final Ticker ticker;
    private final HeldGrant held;
    private final Executor completions;

    // guarded by this
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private CompletableFuture<?> refilled = CompletableFuture.completedFuture(null);
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
        synchronized (this) {
            Decision served = take(cost);
            if (served != null || retired) {
                return served == null ? null : CompletableFuture.completedFuture(served);
            }
            waiting.add(new Waiting(cost, answer));
            if (!refilled.isDone()) {
                return answer;
            }
            refilled = new CompletableFuture<>();
        }
        refill(held.newest());
        return answer;
    }

    /**
     * Retires this lease. The stage completes when what is held has gone back. What a refill under way still brings goes
     * back later.
     */
    CompletionStage<?> retire() {
        synchronized (this) {
            retired = true;
        }
        return held.end();
    }

    /** Does the same, and the stage completes when also what a refill under way brings has gone back. */
    CompletionStage<?> close() {
        return retire().thenCompose(done -> refilled());
    }

    /** Retires this lease after the store was reset. Nothing goes back, because nothing is charged any more. */
    void forget() {
        account.forget();
        retire();
    }

    /** Gives back what is left of the old grant, then charges a new one and serves the waiting calls from it. */
    private void refill(@Nullable Grant old) {
        account.giveBack(old).whenComplete((done, failed) -> {
            long startNanos = ticker.read();
            account.acquire(account.leaseSize()).whenComplete((decision, failure) -> {
                if (failure != null) {
                    all().forEach(each -> each.answer.completeExceptionally(failure));
                } else if (decision.allowed()) {
                    serve(account.grant(decision, startNanos));
                } else {
                    all().forEach(each -> retry(each, decision));
                }
            });
        });
    }

    /** Serves waiting calls in order, and refills again for those that are left. */
    private void serve(Grant fresh) {
        List<Runnable> answers = new ArrayList<>();
        boolean refillsAgain;
        boolean ended;
        synchronized (this) {
            for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
                Waiting first = next;
                Decision served = fresh.take(first.cost, ticker.read());
                if (served == null) {
                    break;
                }
                waiting.remove();
                answers.add(() -> first.answer.complete(served));
            }
            refillsAgain = !waiting.isEmpty();
            ended = retired;
            if (!refillsAgain) {
                held.replaceBy(fresh);
                if (!ended) {
                    refilled.complete(null);
                }
            }
        }
        answers.forEach(Runnable::run);
        if (refillsAgain) {
            refill(fresh);
        } else if (ended) {
            held.end().whenComplete((done, failed) -> refilled().complete(null));
        }
    }

    /** Acquires one call's cost from the store, unless the store has just refused that cost. */
    private void retry(Waiting each, Decision refusal) {
        if (each.cost == account.leaseSize()) {
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

    /** Returns what completes at the end of the refill under way, and is complete if there is none. */
    private synchronized CompletableFuture<?> refilled() {
        return refilled;
    }

    /** Ends a refill that brought nothing; returns all waiting calls and removes them. */
    private synchronized List<Waiting> all() {
        List<Waiting> all = List.copyOf(waiting);
        waiting.clear();
        refilled.complete(null);
        return all;
    }
}
