package io.ratelimit.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Micros;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Decides acquisitions that one script call can: any on a single Redis, those of one slot on a Cluster. Thread-safe. */
final class SingleSlotRateLimiter implements RateLimiter {

    private final StateKeyFormat stateKeys;
    private final Function<Charge, Batcher> conveyorOf;
    private final RedisConnections connections;
    private final Duration timeout;

    SingleSlotRateLimiter(
            StateKeyFormat stateKeys,
            Function<Charge, Batcher> conveyorOf,
            RedisConnections connections,
            Duration timeout) {
        this.stateKeys = stateKeys;
        this.conveyorOf = conveyorOf;
        this.connections = connections;
        this.timeout = timeout;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return ask(PendingCall.Operation.ACQUIRE, acquisition, 0);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return ask(PendingCall.Operation.PEEK, acquisition, 0);
    }

    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        if (!decision.allowed() || decision.source() != Decision.Source.STORE) {
            return CompletableFuture.completedFuture(null);
        }
        return ask(PendingCall.Operation.REFUND, acquisition, Micros.of(decision.decidedAt()))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        try {
            connections
                    .commands()
                    .del(stateKeys.key(limit, subject))
                    .toCompletableFuture()
                    .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .whenComplete((deleted, failure) -> {
                        if (failure == null) {
                            done.complete(null);
                        } else {
                            done.completeExceptionally(Failures.of(failure));
                        }
                    });
        } catch (StoreUnavailableException unavailable) {
            done.completeExceptionally(unavailable);
        }
        return done;
    }

    private CompletableFuture<Decision> ask(
            PendingCall.Operation operation, Acquisition acquisition, long takenAtMicros) {
        List<Charge> charges = acquisition.charges();
        PendingCall ask = new PendingCall(operation, charges, takenAtMicros, System.nanoTime() + timeout.toNanos());
        conveyorOf.apply(charges.get(0)).carry(ask);
        return ask;
    }
}
