package io.ratelimit.stack;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.ForwardingRateLimiter;
import io.ratelimit.internal.Settlements;
import io.ratelimit.internal.Stages;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides and counts, but refuses nothing, to try limits on real traffic. Logs at most once a second how many calls
 * would have been refused. Thread-safe.
 */
final class ReportOnlyRateLimiter extends ForwardingRateLimiter {

    private static final Logger LOG = LoggerFactory.getLogger(ReportOnlyRateLimiter.class);

    /** The store's decisions on calls that fitted only in part, by the decisions that were returned instead. */
    private final Cache<Decision, Decision> chargedParts =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    private final AtomicLong refusals = new AtomicLong();
    private final LongSupplier nanoTime;
    private final AtomicLong nextLogNanos;

    ReportOnlyRateLimiter(RateLimiter limiter, LongSupplier nanoTime) {
        super(limiter);
        this.nanoTime = nanoTime;
        this.nextLogNanos = new AtomicLong(nanoTime.getAsLong());
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        try {
            return allowed(acquisition, limiter.acquire(withoutWaiting(acquisition)));
        } catch (StoreUnavailableException closed) {
            return Decision.unanswered(acquisition.times());
        }
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return admitting(
                acquisition,
                limiter.acquireAsync(withoutWaiting(acquisition)),
                decision -> allowed(acquisition, decision));
    }

    /** A call that is let through anyway does not wait. */
    private static Acquisition withoutWaiting(Acquisition acquisition) {
        return acquisition.maxWait().isZero() ? acquisition : acquisition.withMaxWait(Duration.ZERO);
    }

    /** Allows what an acquisition would, but counts no refusal for the log. */
    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return admitting(
                acquisition,
                limiter.peekAsync(acquisition),
                decision -> isAllowed(acquisition, decision) ? decision : decision.taken(acquisition.times()));
    }

    /** Settles only what was charged: of a call that was let through although it did not fit, nothing or a part. */
    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        if (decision.limits().stream().anyMatch(LimitStatus::refuses)) {
            return limiter.settleAsync(acquisition, refused(decision), actual);
        }
        Decision part = chargedParts.getIfPresent(decision);
        return part == null
                ? limiter.settleAsync(acquisition, decision, actual)
                : limiter.settleAsync(acquisition, part, atMost(part, acquisition, actual));
    }

    private static Decision refused(Decision decision) {
        return new Decision(false, decision.limits(), decision.source(), decision.decidedAt());
    }

    private static long[] atMost(Decision charged, Acquisition acquisition, long[] actual) {
        long[] each = Settlements.ofEach(acquisition.charges(), actual);
        for (int i = 0; i < each.length; i++) {
            each[i] = Math.min(
                    each[i], charged.taken() * acquisition.charges().get(i).cost());
        }
        return each;
    }

    private static CompletionStage<Decision> admitting(
            Acquisition acquisition, CompletionStage<Decision> decided, UnaryOperator<Decision> admitted) {
        return decided.handle((decision, failure) -> failure == null
                        ? CompletableFuture.completedFuture(admitted.apply(decision))
                        : withoutStore(acquisition, failure))
                .thenCompose(Function.identity());
    }

    /** Allows the call even under {@link io.ratelimit.FailurePolicy#CLOSED}, whose failure is a refusal too. */
    private static CompletableFuture<Decision> withoutStore(Acquisition acquisition, Throwable failure) {
        return Stages.unwrap(failure) instanceof StoreUnavailableException
                ? CompletableFuture.completedFuture(Decision.unanswered(acquisition.times()))
                : CompletableFuture.failedFuture(failure);
    }

    private Decision allowed(Acquisition acquisition, Decision decision) {
        if (isAllowed(acquisition, decision)) {
            return decision;
        }
        Decision letThrough = decision.taken(acquisition.times());
        if (decision.allowed()) {
            chargedParts.put(letThrough, decision);
        } else {
            report(decision.refusing());
        }
        return letThrough;
    }

    /** Returns whether the decision stands: all of the call is allowed, or no store has decided on it. */
    private static boolean isAllowed(Acquisition acquisition, Decision decision) {
        return decision.taken() == acquisition.times() || decision.source() == Decision.Source.NONE;
    }

    private void report(List<LimitStatus> refusing) {
        refusals.incrementAndGet();
        long due = nextLogNanos.get();
        long now = nanoTime.getAsLong();
        if (now - due >= 0 && nextLogNanos.compareAndSet(due, now + TimeUnit.SECONDS.toNanos(1))) {
            LOG.info(
                    "report-only: {} calls would have been refused, the last by {}",
                    refusals.getAndSet(0),
                    refusing.stream().map(status -> status.limit().name()).toList());
        }
    }
}
