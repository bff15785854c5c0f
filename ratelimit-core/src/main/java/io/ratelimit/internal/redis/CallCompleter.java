package io.ratelimit.internal.redis;

import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.CompletionExecutor;
import io.ratelimit.internal.call.OpenCalls;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Completes the calls of a batch that has ended. Thread-safe.
 *
 * @param lateNanos how long refunds of late replies are tried
 * @param executor runs the callbacks of the calls
 * @param open the calls in flight
 * @param submit sends calls again that came too late, and refunds of calls that were charged but had already failed
 * @param failures of calls of which Redis has decided nothing, or does not say whether it has
 */
record CallCompleter(
        Node.Clock storeClock,
        long lateNanos,
        Executor executor,
        OpenCalls open,
        Consumer<PendingCall> submit,
        CallFailures failures) {

    /** Completes the calls by the reply or, if there is none, by the failure. */
    void complete(Batch batch, byte @Nullable [] bytes, @Nullable Throwable failure) {
        if (bytes != null) {
            complete(batch, bytes);
            return;
        }
        Throwable reason = failure == null ? new IllegalStateException("empty reply") : failure;
        if (StoreFailures.isUnsent(reason) || StoreFailures.isNotNow(reason) || StoreFailures.isTryAgain(reason)) {
            StoreUnavailableException undecided = StoreFailures.of(reason);
            batch.calls.forEach(call -> failures.undecided(call, undecided));
        } else if (StoreFailures.isLost(reason)) {
            StoreUnavailableException lost = StoreFailures.of(reason);
            batch.calls.forEach(call -> failures.lost(call, lost));
        } else {
            failAll(batch.calls, StoreFailures.of(reason));
        }
    }

    private void complete(Batch batch, byte[] bytes) {
        List<Runnable> callbacks = new ArrayList<>();
        try {
            EngineReply reply = new EngineReply(bytes, callbacks::add, open);
            storeClock.saw(reply.clockMicros());
            if (reply.tooLate()) {
                batch.calls.forEach(submit);
            } else {
                reply.answer(batch, lateNanos).forEach(this::giveBack);
            }
        } catch (RuntimeException unreadable) {
            failAll(batch.calls, StoreFailures.of(unreadable));
        } finally {
            CompletionExecutor.executeAll(executor, callbacks);
        }
    }

    private void giveBack(PendingCall refund) {
        if (refund.isRepeatable()) {
            failures.giveBack(refund);
        } else {
            submit.accept(refund);
        }
    }

    static void failAll(Collection<PendingCall> calls, StoreUnavailableException failure) {
        calls.forEach(call -> call.completeExceptionally(failure));
    }
}
