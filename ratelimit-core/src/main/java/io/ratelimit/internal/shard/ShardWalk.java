package io.ratelimit.internal.shard;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The progress of one acquisition from shard to shard. A charge moves to its next shard when the current one refuses
 * it, whatever the other charges got. Not thread-safe: store calls follow one another.
 */
final class ShardWalk {

    private final Acquisition original;
    private final List<ShardedStatus> statuses = new ArrayList<>();
    private final boolean[] moved;

    ShardWalk(Acquisition original, IntUnaryOperator first) {
        this.original = original;
        this.moved = new boolean[original.charges().size()];
        Arrays.fill(moved, true);
        for (Charge charge : original.charges()) {
            int shards = charge.limit().shards();
            statuses.add(new ShardedStatus(charge.limit(), shards == 1 ? 0 : first.applyAsInt(shards)));
        }
    }

    /** Returns the acquisition to make next: each charge at its current shard. */
    Acquisition acquisition() {
        List<Charge> charges = new ArrayList<>(statuses.size());
        for (int i = 0; i < statuses.size(); i++) {
            charges.add(Shards.shard(original.charges().get(i), statuses.get(i).shard()));
        }
        return new Acquisition(charges, original.onStoreFailure(), original.times(), original.maxWait());
    }

    /**
     * Records the store's decision; returns whether a charge was refused and has another shard to try. Ends at the refusal
     * of a limit with a ban, which would count the next one as another call.
     */
    boolean goesOnAfter(Decision decision) {
        boolean goesOn = false;
        for (int i = 0; i < statuses.size(); i++) {
            statuses.get(i).answered(decision.limits().get(i), !moved[i]);
            moved[i] = !decision.allowed() && statuses.get(i).next();
            goesOn |= moved[i];
        }
        return goesOn
                && decision.limits().stream()
                        .noneMatch(status ->
                                status.refuses() && status.limit().ban().isPresent());
    }

    /** Returns the store's last decision in terms of the limits of the original acquisition. */
    Decision decision(Decision last) {
        List<LimitStatus> limits = statuses.stream().map(ShardedStatus::status).toList();
        return new Decision(last.allowed(), limits, last.source(), last.decidedAt(), last.taken());
    }
}
