package io.ratelimit.internal.layer;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides and counts, but refuses nothing, to try limits on real traffic: a call that would have been refused is let through,
 * and nothing waits. Of a call that takes what fits, the answer is as without this. Logs at most once a second how many calls
 * would have been refused. Thread-safe.
 */
public final class ReportOnly extends Layer {

    private static final Logger LOG = LoggerFactory.getLogger(ReportOnly.class);

    private final AtomicLong refusals = new AtomicLong();
    private final LongSupplier nanoTime;
    private final AtomicLong nextLogNanos;

    public ReportOnly(Layer next, LongSupplier nanoTime) {
        super(next);
        this.nanoTime = nanoTime;
        this.nextLogNanos = new AtomicLong(nanoTime.getAsLong());
    }

    @Override
    public void call(Call call) {
        if (call instanceof Decide decide && decide.mayWait()) {
            passOn(decide.acquire(decide.acquisition().withMaxWait(Duration.ZERO), this, answer -> {
                call.answeredAs(answer);
                answered(call);
            }));
        } else if (call instanceof Settle settle
                && settle.settled().limits().stream().anyMatch(LimitStatus::refuses)) {
            done(call); // was let through, and not charged
        } else {
            passOn(call);
        }
    }

    /** Lets the call through even under {@link io.ratelimit.FailurePolicy#CLOSED}, whose failure is a refusal too. */
    @Override
    protected void answered(Call call) {
        if (call instanceof Decide decide) {
            Acquisition acquisition = decide.acquisition();
            Decision decision = call.decision();
            if (decision != null && !decision.allowed()) {
                if (decide.isCharging()) {
                    report(decision.refusing());
                }
                call.decided(decision.taken(acquisition.times()));
            } else if (call.failure() instanceof StoreUnavailableException) {
                call.decided(Decision.unanswered(acquisition.times()));
            }
        }
        back(call);
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
