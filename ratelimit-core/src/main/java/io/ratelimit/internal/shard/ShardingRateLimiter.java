package io.ratelimit.internal.shard;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Splits the quota of a limit with {@link Limit#withShards shards} between as many keys of the store, for a subject too
 * hot for one core of it. Together they admit no more than the limit. Thread-safe.
 *
 * <p>A call begins at a shard chosen by chance and, as long as it is refused there, goes on to the next one, round to the
 * one before the first: so a call is refused only if every shard refuses it, and asks the store as often as there are
 * shards at most. Other limits of the same acquisition are asked along with the shard, all or nothing.
 *
 * <p>{@code retryAfter} is the shortest of all shards. {@code remaining} is the sum of all shards that were asked;
 * each that was not counts like the last that was. {@code resetAfter} is the longest of those asked.
 */
public final class ShardingRateLimiter implements RateLimiter {

    private final RateLimiter store;
    private final IntUnaryOperator first;

    public ShardingRateLimiter(RateLimiter store) {
        this(store, shards -> ThreadLocalRandom.current().nextInt(shards));
    }

    /**
     * Begins where that says.
     *
     * @param first the shard to ask first, of that many
     */
    ShardingRateLimiter(RateLimiter store, IntUnaryOperator first) {
        this.store = store;
        this.first = first;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return isSharded(acquisition) ? ask(new ShardWalk(acquisition, first)) : store.acquireAsync(acquisition);
    }

    /** Asks all shards at once. */
    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        if (!isSharded(acquisition)) {
            return store.peekAsync(acquisition);
        }
        List<Charge> all = acquisition.charges().stream()
                .flatMap(charge -> IntStream.range(0, charge.limit().shards()).mapToObj(index -> shard(charge, index)))
                .toList();
        return store.peekAsync(new Acquisition(all, acquisition.onStoreFailure()))
                .thenApply(decision -> ShardedStatus.ofAllShards(acquisition, decision));
    }

    /** Gives back to the shards that were charged. */
    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        if (!decision.allowed() || !isSharded(acquisition)) {
            return store.refundAsync(acquisition, decision);
        }
        List<Charge> charged = IntStream.range(0, acquisition.charges().size())
                .mapToObj(i -> shard(
                        acquisition.charges().get(i), decision.limits().get(i).shard()))
                .toList();
        return store.refundAsync(new Acquisition(charged, acquisition.onStoreFailure()), decision);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return CompletableFuture.allOf(IntStream.range(0, limit.shards())
                .mapToObj(index -> shard(new Charge(limit, subject, 1), index))
                .map(charge ->
                        store.resetAsync(charge.limit(), charge.subject()).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    private CompletionStage<Decision> ask(ShardWalk walk) {
        return store.acquireAsync(walk.acquisition()).thenCompose(decision -> {
            return walk.goesOnAfter(decision) ? ask(walk) : CompletableFuture.completedFuture(walk.decision(decision));
        });
    }

    private static boolean isSharded(Acquisition acquisition) {
        List<Charge> charges = acquisition.charges();
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).limit().shards() > 1) {
                return true;
            }
        }
        return false;
    }

    /**
     * That shard's part of a charge. Its subject ends in the shard's number, which chooses the slot; every subject of
     * the limit has such an end, so none can take another's.
     */
    static Charge shard(Charge charge, int index) {
        Limit limit = charge.limit();
        return limit.shards() == 1
                ? charge
                : new Charge(limit.shard(index), charge.subject() + '#' + index, charge.cost());
    }
}
