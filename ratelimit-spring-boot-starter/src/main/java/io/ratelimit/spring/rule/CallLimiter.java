package io.ratelimit.spring.rule;

import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.MessageCode;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Stages;
import io.ratelimit.internal.Warning;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * Decides on calls, and settles what they were charged when they end. Nobody waits for that. Thread-safe.
 */
public final class CallLimiter {

    private final RateLimiter limiter;
    private final Unresolved.Listener unresolved;
    private final Warning otherElement = new Warning(MessageCode.ELEMENTS_DIFFER);

    public CallLimiter(RateLimiter limiter, Unresolved.Listener unresolved) {
        this.limiter = limiter;
        this.unresolved = unresolved;
    }

    /**
     * Decides.
     *
     * @param ends takes what is to be done when the call ends, if it is allowed
     * @throws io.ratelimit.StoreUnavailableException if the store gave no answer
     */
    public Decision decide(Asked asked, CallEnds ends) {
        reportElements(asked);
        Decision decision = limiter.acquire(asked.acquisition());
        register(asked, decision, ends);
        return decision;
    }

    /**
     * The same without blocking, for callers that may leave before the decision is there. If the returned future is cancelled
     * first, the call waits for quota no longer, and what is charged is given back.
     *
     * @param handOver moves the decision to the thread that goes on with it
     */
    public CompletableFuture<Decision> decideAsync(
            Asked asked, CallEnds ends, UnaryOperator<CompletionStage<Decision>> handOver) {
        reportElements(asked);
        CompletableFuture<Decision> result = new CompletableFuture<>();
        CompletionStage<Decision> decided = Stages.call(() -> limiter.acquireAsync(asked.acquisition()));
        if (!asked.acquisition().maxWait().isZero()) {
            result.whenComplete((decision, failure) -> cancel(result.isCancelled(), decided));
        }
        handOver.apply(decided).whenComplete((decision, failure) -> {
            if (failure != null) {
                result.completeExceptionally(Stages.unwrap(failure));
                return;
            }
            if (!result.isDone()) { // first, because a caller that leaves from now on ends the call
                register(asked, decision, ends);
            }
            if (!result.complete(decision)) {
                limiter.refundAsync(asked.acquisition(), decision);
            }
        });
        return result;
    }

    private static void cancel(boolean gaveUp, CompletionStage<Decision> decided) {
        if (gaveUp) {
            decided.toCompletableFuture().cancel(false);
        }
    }

    private void reportElements(Asked asked) {
        asked.withoutElement().forEach(limit -> unresolved.onUnresolved(limit, Unresolved.ELEMENT));
        for (Limit limit : asked.otherElements()) {
            unresolved.onUnresolved(limit, Unresolved.ELEMENT);
            otherElement.logOnce(
                    "Several rules name limit '{}' and one subject with different elements: the first element is counted",
                    limit.name());
        }
    }

    private void register(Asked asked, Decision decision, CallEnds ends) {
        if (!asked.shares().isEmpty() && decision.allowed()) {
            ends.add(ending -> settle(asked, decision, ending));
        }
    }

    private void settle(Asked asked, Decision decision, Ending ending) {
        Stages.call(() -> limiter.settleAsync(asked.acquisition(), decision, asked.actual(ending, unresolved)))
                .whenComplete((settled, failure) -> {
                    if (failure != null) {
                        asked.acquisition()
                                .charges()
                                .forEach(charge -> unresolved.onUnresolved(charge.limit(), Unresolved.STORE));
                    }
                });
    }
}
