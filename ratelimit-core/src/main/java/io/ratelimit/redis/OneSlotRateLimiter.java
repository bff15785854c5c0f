package io.ratelimit.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.Micros;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Decides acquisitions that one script call can: any on a single Redis, those of one slot on a Cluster. Thread-safe. */
final class OneSlotRateLimiter implements RateLimiter {

    private final StateKeys stateKeys;
    private final Function<Charge, Conveyor> conveyorOf;
    private final RedisConnections connections;
    private final Duration timeout;

    OneSlotRateLimiter(
            StateKeys stateKeys,
            Function<Charge, Conveyor> conveyorOf,
            RedisConnections connections,
            Duration timeout) {
        this.stateKeys = stateKeys;
        this.conveyorOf = conveyorOf;
        this.connections = connections;
        this.timeout = timeout;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return ask(Ask.Operation.ACQUIRE, acquisition, 0);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return ask(Ask.Operation.PEEK, acquisition, 0);
    }

    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        if (!decision.allowed() || decision.source() != Decision.Source.STORE) {
            return CompletableFuture.completedFuture(null);
        }
        return ask(Ask.Operation.REFUND, acquisition, Micros.of(decision.decidedAt()))
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

    private CompletableFuture<Decision> ask(Ask.Operation operation, Acquisition acquisition, long takenAtMicros) {
        List<Charge> charges = acquisition.charges();
        Ask ask = new Ask(operation, charges, takenAtMicros, System.nanoTime() + timeout.toNanos());
        conveyorOf.apply(charges.get(0)).carry(ask);
        return ask;
    }
}
