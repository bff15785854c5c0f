package io.ratelimit.internal.call;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A limiter whose operations are calls that pass through layers. A method that returns no stage runs its call on the calling
 * thread alone, which sleeps while the store works. Settles each decision once. Thread-safe.
 */
public class CallingRateLimiter implements RateLimiter {

    private final Layer first;
    private final Executor callbacks;
    private final Settlements settlements = new Settlements();

    /** @param callbacks runs callbacks of stages, and what is left of the way of their calls */
    public CallingRateLimiter(Layer first, Executor callbacks) {
        this.first = first;
        this.callbacks = callbacks;
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        return decide(acquisition, true);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        Acquiring acquiring = new Acquiring(acquisition);
        first.call(acquiring.call);
        return acquiring.stage;
    }

    @Override
    public Decision peek(Acquisition acquisition) {
        return settlements.peeked(decide(acquisition, false));
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return stage(
                then -> new Decide(acquisition, false, callbacks, null, then),
                ended -> settlements.peeked(decision(ended)));
    }

    @Override
    public void settle(Acquisition acquisition, Decision decision, long... actual) {
        if (settlements.begins(acquisition, decision, actual)) {
            BlockedThread caller = new BlockedThread(callbacks);
            run(new Settle(acquisition, decision, actual, caller, null, caller), caller);
        }
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return settlements.begins(acquisition, decision, actual)
                ? stage(then -> new Settle(acquisition, decision, actual, callbacks, null, then), ended -> null)
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public void reset(Limit limit, String subject) {
        BlockedThread caller = new BlockedThread(callbacks);
        run(new Forget(limit, subject, false, caller, caller), caller);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return stage(then -> new Forget(limit, subject, false, callbacks, then), ended -> null);
    }

    @Override
    public void ban(Limit limit, String subject) {
        Bans.charge(limit, subject); // checks both
        BlockedThread caller = new BlockedThread(callbacks);
        run(new BeginBan(limit, subject, caller, caller), caller);
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        Bans.charge(limit, subject); // checks both
        return stage(then -> new BeginBan(limit, subject, callbacks, then), ended -> null);
    }

    @Override
    public void unban(Limit limit, String subject) {
        Bans.check(limit);
        BlockedThread caller = new BlockedThread(callbacks);
        run(new Forget(limit, subject, true, caller, caller), caller);
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        Bans.check(limit);
        return stage(then -> new Forget(limit, subject, true, callbacks, then), ended -> null);
    }

    @Override
    public void cap(Limit limit, String subject, long remaining, Duration length) {
        BlockedThread caller = new BlockedThread(callbacks);
        run(new Block(limit, subject, remaining, length, caller, caller), caller);
    }

    @Override
    public CompletionStage<Void> capAsync(Limit limit, String subject, long remaining, Duration length) {
        return stage(then -> new Block(limit, subject, remaining, length, callbacks, then), ended -> null);
    }

    private Decision decide(Acquisition acquisition, boolean charging) {
        BlockedThread caller = new BlockedThread(callbacks);
        Decide call = new Decide(acquisition, charging, caller, null, caller);
        run(call, caller);
        return decision(call);
    }

    private void run(Call call, BlockedThread caller) {
        first.call(call);
        caller.await(call);
        Throwable failure = call.failure();
        if (failure instanceof RuntimeException runtime) {
            throw runtime;
        } else if (failure instanceof Error error) {
            throw error;
        } else if (failure != null) {
            throw new CompletionException(failure);
        }
    }

    private <T> CompletionStage<T> stage(Function<Consumer<Call>, Call> start, Function<Call, @Nullable T> result) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        first.call(start.apply(ended -> {
            if (ended.failure() == null) {
                stage.complete(result.apply(ended));
            } else {
                stage.completeExceptionally(ended.failure());
            }
        }));
        return stage;
    }

    private static Decision decision(Call ended) {
        return Objects.requireNonNull(ended.decision());
    }

    /** An acquisition with the stage of its caller. A decision that the caller has given up is given back. */
    private final class Acquiring {

        final Decide call;
        final CallStage<Decision> stage;

        Acquiring(Acquisition acquisition) {
            call = new Decide(acquisition, true, callbacks, null, this::end);
            stage = new CallStage<>(call::giveUp);
        }

        private void end(Call ended) {
            Decision decision = ended.decision();
            if (ended.failure() != null) {
                stage.completeExceptionally(ended.failure());
            } else if (decision != null && !stage.complete(decision) && decision.allowed()) {
                settleAsync(call.acquisition(), decision, 0);
            }
        }
    }
}
