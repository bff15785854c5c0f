package io.ratelimit.internal.redis;

import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Layer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The deletions of keys that Redis has not answered, each for a timeout at most. Thread-safe. */
final class Deletions {

    private final CommandRunner runner;
    private final ScheduledExecutorService scheduler;
    private final Duration timeout;
    private final Set<CompletableFuture<Long>> outstanding = ConcurrentHashMap.newKeySet();

    Deletions(CommandRunner runner, ScheduledExecutorService scheduler, Duration timeout) {
        this.runner = runner;
        this.scheduler = scheduler;
        this.timeout = timeout;
    }

    /** Deletes the keys and answers the call. */
    @SuppressWarnings("CollectionUndefinedEquality") // identity is what is meant
    void run(Call call, Layer store, String... keys) {
        CompletableFuture<Long> reply = new CompletableFuture<>();
        outstanding.add(reply);
        Future<?> timer = scheduler.schedule(
                () -> reply.completeExceptionally(StoreFailures.notInTime(timeout)),
                timeout.toNanos(),
                TimeUnit.NANOSECONDS);
        reply.whenComplete((deleted, failure) -> {
            timer.cancel(false);
            outstanding.remove(reply);
            if (failure == null) {
                call.deliver(store, null, null);
            } else {
                call.deliverFailure(store, StoreFailures.of(failure));
            }
        });
        runner.delete(reply, keys);
    }

    Collection<CompletableFuture<Long>> outstanding() {
        return List.copyOf(outstanding);
    }
}
