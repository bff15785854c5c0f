package io.ratelimit.internal.shard;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.internal.MulDiv;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Forget;
import io.ratelimit.internal.call.Join;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Splits the quota of a limit with {@link Limit#withShards shards} between several keys of the store, for a subject
 * that is too busy for one Redis core. All shards together admit no more than the limit. Thread-safe.
 *
 * <p>A call starts at a random shard and moves to the next one if it is refused. From the second refusal on it looks ahead:
 * it peeks at the next six shards in one store call, then at 24 and at the rest, and tries the first that would admit it. It is refused only if every shard
 * refuses it. So it makes six store calls at most, unless others take what it has seen, and 64 shards are asked within the time of six. Other limits of the
 * same acquisition are part of each call that charges, all or nothing.
 *
 * <p>Example: 100 a minute in 4 shards of 25. A call that finds its first shard used up is admitted by the next one
 * that has room.
 *
 * <p>{@code retryAfter} is the shortest of all shards. {@code remaining} is the sum of the shards that were tried, and
 * each other shard counts like the last one. {@code resetAfter} is the longest of the shards that were tried.
 */
public final class Shards extends Layer {

    private final IntUnaryOperator first;

    public Shards(Layer next) {
        this(next, shards -> ThreadLocalRandom.current().nextInt(shards));
    }

    /**
     * Creates a layer with a chosen order of shards.
     *
     * @param first returns the index of the shard to try first, given the number of shards
     */
    Shards(Layer next, IntUnaryOperator first) {
        super(next);
        this.first = first;
    }

    @Override
    public void call(Call call) {
        if (call instanceof Decide decide && isSharded(decide.acquisition())) {
            if (decide.isCharging()) {
                next(decide, new ShardWalk(decide.acquisition(), first));
            } else {
                peek(decide);
            }
        } else if (call instanceof Settle settle && isSharded(settle.acquisition())) {
            settle(settle);
        } else if (call instanceof Forget forget && forget.limit().shards() > 1 && !forget.isOfBansOnly()) {
            forget(forget);
        } else if (call instanceof Block block && block.limit().shards() > 1) {
            block(block);
        } else {
            passOn(call);
        }
    }

    private void next(Decide call, ShardWalk walk) {
        passOn(call.acquire(walk.acquisition(), this, answered -> {
            Decision decision = answered.decision();
            if (decision == null) {
                answerAs(call, answered);
            } else if (walk.goesOnAfter(decision)) {
                lookAhead(call, walk, decision);
            } else {
                answer(call, walk.decision(decision));
            }
        }));
    }

    private void lookAhead(Decide call, ShardWalk walk, Decision refused) {
        List<Charge> ahead = walk.ahead();
        if (ahead.isEmpty()) {
            next(call, walk);
            return;
        }
        Acquisition acquisition = new Acquisition(ahead, call.acquisition().onStoreFailure());
        passOn(call.peek(acquisition, this, answered -> {
            Decision peeked = answered.decision();
            if (peeked == null) {
                answerAs(call, answered);
            } else if (walk.goesOnAfterPeek(peeked)) {
                lookAhead(call, walk, refused);
            } else {
                answer(call, walk.decision(refused));
            }
        }));
    }

    /** Peeks at all shards in one store call. */
    private void peek(Decide call) {
        List<Charge> all = call.acquisition().charges().stream()
                .flatMap(charge -> IntStream.range(0, charge.limit().shards()).mapToObj(index -> shard(charge, index)))
                .toList();
        Acquisition acquisition = new Acquisition(all, call.acquisition().onStoreFailure());
        passOn(call.peek(acquisition, this, answered -> {
            Decision decision = answered.decision();
            if (decision == null) {
                answerAs(call, answered);
            } else {
                answer(call, ShardedStatus.ofAllShards(call.acquisition(), decision));
            }
        }));
    }

    /** Settles the shards that were charged, which the decision names. */
    private void settle(Settle call) {
        Acquisition acquisition = call.acquisition();
        List<Charge> charged = IntStream.range(0, acquisition.charges().size())
                .mapToObj(i -> shard(
                        acquisition.charges().get(i),
                        call.settled().limits().get(i).shard()))
                .toList();
        passOn(call.instead(
                new Acquisition(charged, acquisition.onStoreFailure()),
                call.settled(),
                this,
                answered -> answerAs(call, answered),
                call.actual()));
    }

    private void forget(Forget call) {
        int shards = call.limit().shards();
        Join join = new Join(shards, failure -> end(call, failure));
        for (int i = 0; i < shards; i++) {
            passOn(call.of(call.limit().shard(i), subject(call.subject(), i), this, join));
        }
    }

    private void block(Block call) {
        int shards = call.limit().shards();
        Join join = new Join(shards, failure -> end(call, failure));
        for (int i = 0; i < shards; i++) {
            long part = MulDiv.share(call.remaining(), i, shards);
            passOn(call.of(call.limit().shard(i), subject(call.subject(), i), part, this, join));
        }
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
