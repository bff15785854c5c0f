package io.ratelimit.redis;

import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Why callers got no decision, and how they are told. */
final class Failures {

    /** As many threads as callers hold up, usually one; gone 100 ms after the last failure. */
    private static final Executor TELLERS = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, 100, TimeUnit.MILLISECONDS, new SynchronousQueue<>(), telling -> {
                Thread thread = new Thread(telling, "ratelimit-failures");
                thread.setDaemon(true);
                return thread;
            });

    private Failures() {}

    static StoreUnavailableException notInTime(Duration timeout) {
        return new StoreUnavailableException("Redis did not answer within %d ms".formatted(timeout.toMillis()));
    }

    static StoreUnavailableException closed() {
        return new StoreUnavailableException("the limiter is closed");
    }

    /** What ended a call of Redis. */
    static StoreUnavailableException of(Throwable failure) {
        return failure instanceof StoreUnavailableException known
                ? known
                : new StoreUnavailableException("Redis failed: %s".formatted(failure), failure);
    }

    static void tell(List<PendingCall> asks, StoreUnavailableException failure) {
        List<PendingCall> told = List.copyOf(asks);
        elsewhere(() -> told.forEach(ask -> ask.completeExceptionally(failure)));
    }

    /**
     * What callers do when they are told must not hold up the thread that watches the timeouts. The common pool will
     * not do: all its threads may wait for just this.
     */
    static void elsewhere(Runnable telling) {
        TELLERS.execute(telling);
    }
}
