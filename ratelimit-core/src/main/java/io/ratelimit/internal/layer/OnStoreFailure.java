package io.ratelimit.internal.layer;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.call.BeginBan;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;
import io.ratelimit.internal.call.SubjectChange;
import io.ratelimit.internal.call.UnderWay;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Decides calls that the store does not answer, by the {@link FailurePolicy} of the acquisition or else of the limiter.
 * What {@link FailurePolicy#LOCAL} admits is never charged to the store later. Logs once when an outage begins and once
 * when it ends. Thread-safe.
 */
public final class OnStoreFailure extends Layer {

    private static final Acquisition PROBE =
            Acquisition.of(Limit.of("health", Algorithm.FIXED_WINDOW, 1_000_000, Duration.ofSeconds(1)), "health");

    private final RateLimiter local;
    private final FailurePolicy policy;
    private final OutageLog outage;
    private final UnderWay underWay = new UnderWay();

    /** Null until a ban or block is made. */
    private volatile @Nullable MadeHere madeHere;

    /**
     * Decides by {@code next}, and while that fails by {@code policy}.
     *
     * @param local decides at once under {@link FailurePolicy#LOCAL}
     * @param outage is notified of every charge, and of every failure of the store to charge
     */
    public OnStoreFailure(Layer next, RateLimiter local, FailurePolicy policy, OutageLog outage) {
        super(next);
        this.local = local;
        this.policy = policy;
        this.outage = outage;
    }

    @Override
    public void call(Call call) {
        if (call instanceof Settle settle && settle.settled().source() != Decision.Source.STORE) {
            if (settle.settled().source() == Decision.Source.LOCAL) {
                local.settle(settle.acquisition(), settle.settled(), settle.actual());
            }
            done(call);
            return;
        }
        MadeHere made = madeHere;
        if (call instanceof SubjectChange change) {
            if (made == null) {
                change.applyTo(local);
            } else {
                made.apply(change);
            }
            if (change instanceof Block block && isInOnePlace(block.limit())) {
                block.whenMadeLate(() -> made(block));
            }
        } else if (made != null && call instanceof Decide decide) {
            made.begins(decide);
        }
        if (underWay.begin()) {
            passOn(call);
        } else {
            call.failed(new StoreUnavailableException("the limiter is closed"));
            answered(call);
        }
    }

    @Override
    protected void answered(Call call) {
        underWay.end();
        MadeHere made = madeHere;
        if (call instanceof SubjectChange change) {
            if (call.failure() == null || call instanceof BeginBan) { // the store makes no ban that has failed
                made(change);
            }
        } else if (call instanceof Decide decide) {
            if (made != null) {
                made.ended(decide);
            }
            observe(decide);
            if (call.failure() instanceof StoreUnavailableException) {
                decideWithoutStore(decide);
            }
        }
        back(call);
    }

    /** Returns false if leases or other parts may admit a subject after one part of a block is made. */
    private static boolean isInOnePlace(Limit limit) {
        return limit.lease() == 1 && limit.shards() == 1;
    }

    private synchronized void made(SubjectChange change) {
        MadeHere made = madeHere == null ? new MadeHere(local) : madeHere;
        made.made(change);
        madeHere = made;
    }

    /** A peek neither begins nor ends an outage: it charges nothing, and those that warm up a process may be late. */
    private void observe(Decide call) {
        Decision decision = call.decision();
        if (!call.isCharging()) {
            return;
        }
        if (decision != null && decision.allowed()) {
            outage.succeeded();
        } else if (call.failure() instanceof StoreUnavailableException unavailable) {
            outage.failed(String.valueOf(unavailable.getMessage()));
        }
    }

    /**
     * Charges a limit of its own and returns why the store did not decide that, or other calls within the last second; empty
     * if it decides. A peek would not do: a replica and a Redis without memory answer it.
     */
    public CompletableFuture<Optional<String>> probe(Executor threads) {
        CompletableFuture<Optional<String>> failure = new CompletableFuture<>();
        passOn(Decide.alone(PROBE, this, threads, ended -> {
            observe((Decide) ended);
            failure.complete(outage.reason());
        }));
        return failure;
    }

    /**
     * Decides later calls as in an outage, and waits for those that are under way: a call that goes on to another shard or slot is
     * decided by the store, and what it took from an earlier one goes back.
     *
     * @param most how long
     */
    public void close(Duration most) {
        underWay.close(most);
    }

    /** Under {@link FailurePolicy#CLOSED} the failure stays the answer. */
    private void decideWithoutStore(Decide call) {
        Acquisition acquisition = call.acquisition();
        switch (acquisition.onStoreFailure().orElse(policy)) {
            case LOCAL -> {
                Decision decision = call.isCharging() ? local.acquire(acquisition) : local.peek(acquisition);
                call.decided(decision.from(Decision.Source.LOCAL));
            }
            case OPEN -> call.decided(Decision.unanswered(acquisition.times()));
            case CLOSED -> {}
        }
    }
}
