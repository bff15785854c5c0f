package io.ratelimit.internal.shard;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.ForwardingRateLimiter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Splits the quota of a limit with {@link Limit#withShards shards} between several keys of the store, for a subject
 * that is too busy for one Redis core. All shards together admit no more than the limit. Thread-safe.
 *
 * <p>A call starts at a random shard and moves to the next one while it is refused. It is refused only if every shard
 * refuses it, and makes at most as many store calls as there are shards. Other limits of the same acquisition are part
 * of each of these calls, all or nothing.
 *
 * <p>Example: 100 a minute in 4 shards of 25. A call that finds its first shard used up is admitted by the next one
 * that has room.
 *
 * <p>{@code retryAfter} is the shortest of all shards. {@code remaining} is the sum of the shards that were tried, and
 * each other shard counts like the last one. {@code resetAfter} is the longest of the shards that were tried.
 */
public final class ShardingRateLimiter extends ForwardingRateLimiter {

    private final IntUnaryOperator first;

    public ShardingRateLimiter(RateLimiter store) {
        this(store, shards -> ThreadLocalRandom.current().nextInt(shards));
    }

    /**
     * Creates a limiter with a chosen order of shards.
     *
     * @param first returns the index of the shard to try first, given the number of shards
     */
    ShardingRateLimiter(RateLimiter store, IntUnaryOperator first) {
        super(store);
        this.first = first;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return isSharded(acquisition) ? next(new ShardWalk(acquisition, first)) : limiter.acquireAsync(acquisition);
    }

    /** Peeks at all shards in one store call. */
    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        if (!isSharded(acquisition)) {
            return limiter.peekAsync(acquisition);
        }
        List<Charge> all = acquisition.charges().stream()
                .flatMap(charge -> IntStream.range(0, charge.limit().shards()).mapToObj(index -> shard(charge, index)))
                .toList();
        return limiter.peekAsync(new Acquisition(all, acquisition.onStoreFailure()))
                .thenApply(decision -> ShardedStatus.ofAllShards(acquisition, decision));
    }

    /** Settles the shards that were charged, which the decision names. */
    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        if (!decision.allowed() || !isSharded(acquisition)) {
            return limiter.settleAsync(acquisition, decision, actual);
        }
        List<Charge> charged = IntStream.range(0, acquisition.charges().size())
                .mapToObj(i -> shard(
                        acquisition.charges().get(i), decision.limits().get(i).shard()))
                .toList();
        return limiter.settleAsync(new Acquisition(charged, acquisition.onStoreFailure()), decision, actual);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        if (limit.shards() == 1) {
            return limiter.resetAsync(limit, subject);
        }
        return CompletableFuture.allOf(IntStream.range(0, limit.shards())
                .mapToObj(index -> limiter.resetAsync(limit.shard(index), subject(subject, index))
                        .toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    private CompletionStage<Decision> next(ShardWalk walk) {
        return limiter.acquireAsync(walk.acquisition()).thenCompose(decision -> {
            return walk.goesOnAfter(decision) ? next(walk) : CompletableFuture.completedFuture(walk.decision(decision));
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
     * Returns one shard's charge. The shard's index is appended to the subject, which selects the Cluster slot. Every
     * subject of the limit gets such a suffix, so no subject can collide with another one's shard.
     */
    static Charge shard(Charge charge, int index) {
        Limit limit = charge.limit();
        return limit.shards() == 1
                ? charge
                : new Charge(limit.shard(index), subject(charge.subject(), index), charge.cost());
    }

    private static String subject(String subject, int index) {
        return subject + '#' + index;
    }
}
