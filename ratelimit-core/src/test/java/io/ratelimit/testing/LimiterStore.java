package io.ratelimit.testing;

import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Stages;
import io.ratelimit.internal.call.BeginBan;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Forget;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A store for layers under test, made of any limiter. Answers when the limiter's stage completes. */
public final class LimiterStore extends Layer {

    private final RateLimiter limiter;

    public LimiterStore(RateLimiter limiter) {
        this.limiter = limiter;
    }

    @Override
    public void call(Call call) {
        if (call instanceof Decide decide) {
            answered(
                    call,
                    decide.isCharging()
                            ? limiter.acquireAsync(decide.acquisition())
                            : limiter.peekAsync(decide.acquisition()));
        } else if (call instanceof Settle settle) {
            answered(call, limiter.settleAsync(settle.acquisition(), settle.settled(), settle.actual()));
        } else if (call instanceof Forget forget) {
            answered(
                    call,
                    forget.isOfBansOnly()
                            ? limiter.unbanAsync(forget.limit(), forget.subject())
                            : limiter.resetAsync(forget.limit(), forget.subject()));
        } else if (call instanceof BeginBan ban) {
            answered(call, limiter.banAsync(ban.limit(), ban.subject()));
        } else if (call instanceof Block block) {
            answered(call, limiter.capAsync(block.limit(), block.subject(), block.remaining(), block.length()));
        }
    }

    private void answered(Call call, CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        if (future.isDone()) {
            answeredNow(call, future);
            return;
        }
        future.whenComplete((answer, failure) -> {
            if (failure == null) {
                call.deliver(this, answer instanceof Decision decision ? decision : null, null);
            } else {
                call.deliverFailure(this, Stages.unwrap(failure));
            }
        });
    }

    /** Outside of a stage, which would swallow what a layer throws. */
    private void answeredNow(Call call, CompletableFuture<?> future) {
        Object answer;
        try {
            answer = future.join();
        } catch (CompletionException failed) {
            fail(call, Stages.unwrap(failed));
            return;
        }
        if (answer instanceof Decision decision) {
            answer(call, decision);
        } else {
            done(call);
        }
    }
}
