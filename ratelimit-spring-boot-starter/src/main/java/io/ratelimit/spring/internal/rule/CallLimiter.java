package io.ratelimit.spring.internal.rule;

import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Stages;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.internal.call.UnderWay;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;

/**
 * Decides on calls, and settles what they were charged when they end. No caller waits for the settlement. Once the application
 * breaks off what it does to stop, failures are no longer those of a caller, and what they were charged stays. Frees the slots of
 * calls that are open when it is closed. Thread-safe.
 */
public final class CallLimiter implements AutoCloseable, Lifecycle, Phased {

    /** Stops after the web server's grace period, and before the web server. */
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024 - 512;

    private static final int MOST_OPEN = 100_000;

    private final RateLimiter limiter;
    private final Unresolved.Listener unresolved;
    private final Duration closing;
    private final UnderWay deciding = new UnderWay();
    private final Set<Settlement> open = ConcurrentHashMap.newKeySet();
    private volatile boolean running = true;
    private final Warning otherElement = new Warning(MessageCode.ELEMENTS_DIFFER);

    public CallLimiter(RateLimiter limiter, Unresolved.Listener unresolved) {
        this(limiter, unresolved, Duration.ofSeconds(1));
    }

    /** @param closing how long {@link #close} waits at most */
    CallLimiter(RateLimiter limiter, Unresolved.Listener unresolved, Duration closing) {
        this.limiter = limiter;
        this.unresolved = unresolved;
        this.closing = closing;
    }

    /**
     * Decides.
     *
     * @param call is settled when it is closed, if it is allowed
     * @throws io.ratelimit.StoreUnavailableException if the store gave no answer
     */
    public Decision decide(CallCharges charges, OpenCall call) {
        reportElements(charges);
        Runnable end = begin(charges);
        try {
            Decision decision = limiter.acquire(charges.acquisition());
            register(charges, decision, call);
            return decision;
        } finally {
            end.run();
        }
    }

    /**
     * The same without blocking, for callers that may leave before the decision is there. If the returned future is
     * cancelled first, the call stops waiting for quota, and what is charged is given back. So it is if the hand-over fails.
     *
     * @param handOver moves the decision to the thread that goes on with it
     */
    public CompletableFuture<Decision> decideAsync(
            CallCharges charges, OpenCall call, UnaryOperator<CompletionStage<Decision>> handOver) {
        reportElements(charges);
        CompletableFuture<Decision> result = new CompletableFuture<>();
        Runnable end = begin(charges);
        CompletionStage<Decision> decided = Stages.call(() -> limiter.acquireAsync(charges.acquisition()));
        if (!charges.acquisition().maxWait().isZero()) {
            result.whenComplete((decision, failure) -> cancel(result.isCancelled(), decided));
        }
        handOver.apply(decided).whenComplete((decision, failure) -> {
            if (failure != null) { // maybe that of the hand-over alone
                decided.thenAccept(lost -> limiter.refundAsync(charges.acquisition(), lost));
                end.run();
                result.completeExceptionally(Stages.unwrap(failure));
                return;
            }
            if (!result.isDone()) { // first, because a caller that leaves from now on ends the call
                register(charges, decision, call);
            }
            end.run(); // before the caller goes on, for which a stop does not wait here
            if (!result.complete(decision)) {
                limiter.refundAsync(charges.acquisition(), decision);
            }
        });
        return result;
    }

    private static void cancel(boolean gaveUp, CompletionStage<Decision> decided) {
        if (gaveUp) {
            decided.toCompletableFuture().cancel(false);
        }
    }

    private void reportElements(CallCharges charges) {
        for (Unresolved.Part part : charges.unresolved()) {
            unresolved.onUnresolved(part.limit(), part.reason());
        }
        for (Limit limit : charges.otherElements()) {
            unresolved.onUnresolved(limit, Unresolved.ELEMENT);
            otherElement.logOnce(
                    "Several rules name limit '{}' and one subject with different elements: the first element is counted",
                    limit.name());
        }
    }

    private void register(CallCharges charges, Decision decision, OpenCall call) {
        if (!charges.shares().isEmpty() && decision.allowed()) {
            Settlement settlement =
                    new Settlement(limiter, unresolved, charges, decision, this::isRunning, open::remove);
            if (OpenCalls.areIn(charges.acquisition().charges()) && open.size() < MOST_OPEN) {
                open.add(settlement);
            }
            call.settleAtEnd(settlement);
            if (deciding.isClosed()) {
                settlement.freeSlots();
            }
        }
    }

    /**
     * Begins a decision, which what is returned ends. {@link #close} waits for those whose slots nobody would free later, but not for
     * quota, for which a call may wait long.
     */
    private Runnable begin(CallCharges charges) {
        if (charges.shares().isEmpty() || !charges.acquisition().maxWait().isZero()) {
            return () -> {};
        }
        deciding.begin();
        return deciding::end;
    }

    /**
     * Frees the slots of what the application still does while it stops, and of what is decided meanwhile, for a second at most: no
     * server tells of the end of all requests then.
     */
    @Override
    public void close() {
        deciding.close(closing);
        open.forEach(Settlement::freeSlots);
    }

    /** Goes on after a stop. It runs from when it is made, which a {@link SmartLifecycle} would be where nothing is limited, too. */
    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Why a call was counted otherwise than configured. */
    public enum Unresolved {
        /** There was no valid actual cost, so the estimate stays charged. */
        ACTUAL_COST,
        /** The store failed when the call ended. Unless it is back in time, the estimate stays charged and a slot is free after the window. */
        STORE,
        /** The call named no element, so the client's address is counted; or several of one subject, so the first is. */
        ELEMENT,
        /** The call's plan was not found or is not configured, so the limit's own numbers apply. */
        PLAN;

        /** One limit of a call. */
        record Part(Limit limit, Unresolved reason) {}

        /** Receives each such call, for metrics. Implementations must be thread-safe. */
        @FunctionalInterface
        public interface Listener {
            /** Called once for each limit of the call that it is about. */
            void onUnresolved(Limit limit, Unresolved reason);
        }
    }
}
