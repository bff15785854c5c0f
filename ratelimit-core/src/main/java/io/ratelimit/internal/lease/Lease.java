package io.ratelimit.internal.lease;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ratelimit.Decision;
import io.ratelimit.internal.CallerFuture;
import io.ratelimit.internal.Scheduler;
import java.time.Instant;
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
 * What this instance holds of one limit for one subject: a {@link Grant} that is served until it is used up or a second
 * old, and then refilled by one call at a time. Who comes meanwhile waits, and is served in the order of coming.
 * Thread-safe.
 *
 * <p>A refill that is refused ends in asking for exactly what each of those waiting needs, so that the last requests of
 * a quota are served, too, and that a refusal is the store's own.
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

    /** An empty one. */
    Lease(LeaseAccount account, Ticker ticker, Scheduler scheduler, Executor completions) {
        this.account = account;
        this.ticker = ticker;
        this.completions = completions;
        this.held = new HeldGrant(account, ticker, scheduler);
    }

    /** Serves at once, if what is held will do; null if not. */
    @Nullable
    Decision take(long cost) {
        return held.take(cost);
    }

    /** What {@link #take} would answer. */
    @Nullable
    Decision peek(long cost) {
        return held.peek(cost);
    }

    /** Takes back what that decision was served, if what it was served from is still here. */
    boolean putBack(long cost, Decision decision) {
        return held.putBack(cost, decision);
    }

    /** Serves as soon as there is enough or the store has refused; null if this lease is not used any more. */
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

    /** Ends it: what is held goes back, and so does what a refill still brings. */
    CompletionStage<?> retire() {
        synchronized (this) {
            retired = true;
        }
        return held.end();
    }

    /** Ends it because the store has been reset: nothing goes back, for nothing is charged any more. */
    void forget() {
        account.forget();
        retire();
    }

    /** Fills up for a call of that cost; what was left is used for it, if it is of the same key and not too old. */
    private void refillAfter(Grant old, long cost) {
        long left = old.close();
        if (left < cost && account.isOfOneKey() && old.lifeNanos(ticker.read()) > 0) {
            refill(cost, left, old);
        } else {
            account.giveBack(left, old).whenComplete((done, failure) -> refill(cost, 0, null));
        }
    }

    /** Fills up for a call of that cost, the first of those waiting, which has that much left of what was held. */
    private void refill(long cost, long left, @Nullable Grant old) {
        long asked = Math.max(account.leaseSize(), cost) - left;
        long askedNanos = ticker.read();
        account.acquire(asked).whenComplete((decision, failure) -> {
            if (failure != null) {
                account.giveBack(left, old);
                all().forEach(each -> each.answer.completeExceptionally(failure));
            } else if (decision.allowed()) {
                Grant fresh = account.grant(decision, asked, askedNanos);
                serveFirst(fresh, left, old);
                serveOthers(fresh);
            } else {
                account.giveBack(left, old)
                        .whenComplete((done, failed) -> all().forEach(each -> settle(each, asked, left, decision)));
            }
        });
    }

    private void serveFirst(Grant fresh, long left, @Nullable Grant old) {
        Waiting first;
        synchronized (this) {
            first = waiting.remove();
        }
        Decision served = Objects.requireNonNull(fresh.take(first.cost - left, ticker.read()));
        // who was charged twice says the earlier time: a refund then gives back too little rather than too much
        first.answer.complete(
                left == 0 || old == null ? served : at(old.charged().decidedAt(), served));
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

    /** Asks for exactly what one needs, unless just that has been refused and nothing has gone back since. */
    private void settle(Waiting each, long asked, long left, Decision refusal) {
        if (left == 0 && each.cost == asked) {
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

    /** All who wait, and no longer do. */
    private synchronized List<Waiting> all() {
        List<Waiting> all = List.copyOf(waiting);
        waiting.clear();
        refilling = false;
        return all;
    }

    private static Decision at(Instant decidedAt, Decision decision) {
        return new Decision(true, decision.limits(), decision.source(), decidedAt);
    }
}
