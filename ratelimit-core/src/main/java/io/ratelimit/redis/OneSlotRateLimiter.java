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
    private final Function<String, Conveyor> conveyorOfKey;
    private final RedisConnections connections;
    private final Duration timeout;

    OneSlotRateLimiter(
            StateKeys stateKeys,
            Function<String, Conveyor> conveyorOfKey,
            RedisConnections connections,
            Duration timeout) {
        this.stateKeys = stateKeys;
        this.conveyorOfKey = conveyorOfKey;
        this.connections = connections;
        this.timeout = timeout;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return ask(new Ask.Shape(Ask.Operation.ACQUIRE, acquisition.charges(), 0));
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return ask(new Ask.Shape(Ask.Operation.PEEK, acquisition.charges(), 0));
    }

    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        if (!decision.allowed() || decision.source() != Decision.Source.STORE) {
            return CompletableFuture.completedFuture(null);
        }
        long takenAtMicros = Micros.of(decision.decidedAt());
        return ask(new Ask.Shape(Ask.Operation.REFUND, acquisition.charges(), takenAtMicros))
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
                            done.completeExceptionally(
                                    new StoreUnavailableException("Redis failed: %s".formatted(failure), failure));
                        }
                    });
        } catch (StoreUnavailableException unavailable) {
            done.completeExceptionally(unavailable);
        }
        return done;
    }

    private CompletableFuture<Decision> ask(Ask.Shape shape) {
        List<String> keys = shape.charges().stream().map(stateKeys::key).toList();
        Ask ask = new Ask(shape, keys, System.nanoTime() + timeout.toNanos());
        conveyorOfKey.apply(keys.get(0)).carry(ask);
        return ask.answer;
    }

    String key(Charge charge) {
        return stateKeys.key(charge);
    }
}
