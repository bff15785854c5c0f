package io.ratelimit.spring.ai;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.internal.DaemonThreads;
import io.ratelimit.internal.Stages;
import io.ratelimit.spring.ai.ChargedLimit.Share;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.model.ChatResponse;
import reactor.core.scheduler.Schedulers;

/** A call of a model, from its estimate until it is settled, which it is once. Nobody waits for that. Thread-safe. */
final class ModelCall {

    private enum State {
        /** The decision is not there, or nobody has acted on it. */
        UNDECIDED,
        /** The model is called. */
        RUNNING,
        ENDED
    }

    private final ModelCalls calls;
    private final Acquisition acquisition;
    private final List<Share> shares;
    private final long promptTokens;
    private final AtomicReference<State> state = new AtomicReference<>(State.UNDECIDED);
    private final StringBuilder answer = new StringBuilder();
    private long reportedTokens;
    private volatile CompletableFuture<Decision> decided = new CompletableFuture<>();

    ModelCall(ModelCalls calls, Acquisition acquisition, List<Share> shares, long promptTokens) {
        this.calls = calls;
        this.acquisition = acquisition;
        this.shares = shares;
        this.promptTokens = promptTokens;
    }

    /** Decides, and waits for the store. */
    Decision decide() {
        Decision decision = calls.limiter().acquire(acquisition);
        decided = CompletableFuture.completedFuture(decision);
        return decision;
    }

    /** Decides without blocking. Cancelling the future gives up the call. */
    CompletableFuture<Decision> decideAsync() {
        decided = calls.limiter().acquireAsync(acquisition).toCompletableFuture();
        return decided;
    }

    /**
     * Returns whether the model is to be called: not if the caller has left meanwhile.
     *
     * @throws RateLimitExceededException if the call is refused
     */
    boolean begin(Decision decision) {
        if (!decision.allowed()) {
            throw new RateLimitExceededException(decision);
        }
        return state.compareAndSet(State.UNDECIDED, State.RUNNING);
    }

    /** Remembers what an answer, or a part of one, says and used. */
    synchronized void see(ChatClientResponse part) {
        @Nullable ChatResponse response = part.chatResponse();
        if (response == null) {
            return;
        }
        response.getResults().forEach(result -> {
            @Nullable String text = result.getOutput().getText();
            answer.append(text == null ? "" : text);
        });
        long reported = TokenCounter.reported(response);
        if (reported > 0) {
            reportedTokens = reported;
        }
    }

    /** Settles a call whose answer is complete. */
    void complete() {
        end(false, this::actualOfComplete);
    }

    /** Settles a call that failed. */
    void fail() {
        boolean saysNothing = saysNothing();
        end(!saysNothing, () -> actual(saysNothing ? 0 : soFar()));
    }

    /** Settles a call whose subscriber has left, or gives it up if the model was not called. */
    void cancel() {
        end(true, () -> actual(soFar()));
    }

    /** An estimator may block, and its subscriber leaves or its connection breaks on threads that must not. */
    private void end(boolean estimates, Supplier<long[]> actual) {
        State before = state.getAndSet(State.ENDED);
        if (before == State.UNDECIDED) {
            settle(0);
        } else if (before == State.RUNNING) {
            if (estimates
                    && Schedulers.isInNonBlockingThread()
                    && shares.stream().anyMatch(Share::inTokens)) {
                DaemonThreads.create("ratelimit-tokens", () -> settle(counted(actual)))
                        .start();
            } else {
                settle(counted(actual));
            }
        }
    }

    /** Returns the actual costs; those of the estimate if the estimator, which an application may pass, throws. */
    private long[] counted(Supplier<long[]> actual) {
        try {
            return actual.get();
        } catch (RuntimeException failed) {
            return asEstimated();
        }
    }

    /** Settles the decision, if there is or will be one; a refused one has charged nothing. */
    private void settle(long... actual) {
        decided.whenComplete((decision, noDecision) -> {
            if (decision != null) {
                Stages.call(() -> calls.limiter().settleAsync(acquisition, decision, actual))
                        .whenComplete((settled, failure) -> {
                            if (failure != null) {
                                acquisition.charges().forEach(charge -> calls.unresolved(charge.limit(), "store"));
                            }
                        });
            }
        });
    }

    private synchronized boolean saysNothing() {
        return answer.isEmpty();
    }

    private synchronized long soFar() {
        return Math.max(reportedTokens, promptTokens + calls.counter().of(answer.toString()));
    }

    /** Returns the actual cost of each charge, of which the acquisition may have merged some. */
    private long[] actual(long tokens) {
        return acquisition.charges().stream()
                .mapToLong(charge -> shares.stream()
                        .filter(share -> share.charge().limit().equals(charge.limit())
                                && share.charge().subject().equals(charge.subject()))
                        .mapToLong(share -> share.inTokens() ? tokens : 1)
                        .sum())
                .toArray();
    }

    private synchronized long[] actualOfComplete() {
        return reportedTokens > 0 ? actual(reportedTokens) : asEstimated();
    }

    private long[] asEstimated() {
        shares.stream()
                .filter(Share::inTokens)
                .map(share -> share.charge().limit())
                .distinct()
                .forEach(limit -> calls.unresolved(limit, "actual-cost"));
        return acquisition.charges().stream().mapToLong(Charge::cost).toArray();
    }
}
