package io.ratelimit.internal.redis;

import io.ratelimit.StoreListener;
import io.ratelimit.StoreListener.Outcome;
import io.ratelimit.StoreListener.RoundTrip;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Listeners;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A batch that was sent to a node, with the future of its reply. Thread-safe.
 *
 * @param repeated the error of the attempt before this one, after which it is sent again; null for the first
 */
record InFlightBatch(
        Batch batch,
        Node node,
        long sentNanos,
        CompletableFuture<byte[]> reply,
        @Nullable Throwable repeated) {

    /**
     * Returns whether the time of any of its calls is not over; of a late refund, whether the timeout is not. A call whose
     * caller has cancelled it counts, too: that does not mean that the node is silent.
     */
    boolean isAwaited(long nowNanos, Duration timeout) {
        boolean isLate = nowNanos - sentNanos >= timeout.toNanos();
        return batch.calls.stream().anyMatch(call -> !call.isOverdue(nowNanos) && !(isLate && call.isLate()));
    }

    /** Returns why its calls have no decision in time: the node said so, or nothing. */
    StoreUnavailableException overdue(Duration timeout) {
        return repeated == null ? StoreFailures.notInTime(timeout) : StoreFailures.of(repeated);
    }

    /** Reports that the batch has ended to its node and to the listeners; the failure is null if Redis decided it. */
    void ended(@Nullable Throwable failure, Listeners<StoreListener> listeners) {
        long nowNanos = System.nanoTime();
        if (failure == null || StoreFailures.isAnswer(failure)) {
            node.answered(sentNanos, nowNanos);
            notify(listeners, nowNanos, failure == null ? Outcome.ANSWERED : Outcome.ERROR);
            if (failure != null && StoreFailures.isNoMaster(failure)) {
                node.isNoMaster(StoreFailures.isReplica(failure));
            }
        } else {
            unanswered(nowNanos, true, listeners);
        }
    }

    /** @param lost whether the connection was lost, or there was none */
    void unanswered(long nowNanos, boolean lost, Listeners<StoreListener> listeners) {
        node.unanswered(sentNanos, nowNanos, lost);
        notify(listeners, nowNanos, Outcome.UNANSWERED);
    }

    private void notify(Listeners<StoreListener> listeners, long nowNanos, Outcome outcome) {
        if (!listeners.isEmpty()) {
            Duration time = Duration.ofNanos(nowNanos - sentNanos);
            RoundTrip roundTrip = new RoundTrip(batch.calls.size(), batch.size(), time, outcome);
            listeners.each(listener -> listener.onRoundTrip(roundTrip));
        }
    }
}
