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
 * Where one acquisition has got to on its way from shard to shard. A charge goes on to its next shard when this one has
 * refused it, whatever the other charges were answered. Not thread-safe: one call follows the other.
 */
final class ShardWalk {

    private final Acquisition asked;
    private final List<ShardedStatus> statuses = new ArrayList<>();
    private final boolean[] moved;

    ShardWalk(Acquisition asked, IntUnaryOperator first) {
        this.asked = asked;
        this.moved = new boolean[asked.charges().size()];
        Arrays.fill(moved, true);
        for (Charge charge : asked.charges()) {
            int shards = charge.limit().shards();
            statuses.add(new ShardedStatus(charge.limit(), shards == 1 ? 0 : first.applyAsInt(shards)));
        }
    }

    /** What to ask the store for now. */
    Acquisition acquisition() {
        List<Charge> charges = new ArrayList<>(statuses.size());
        for (int i = 0; i < statuses.size(); i++) {
            charges.add(ShardingRateLimiter.shard(
                    asked.charges().get(i), statuses.get(i).shard()));
        }
        return new Acquisition(charges, asked.onStoreFailure());
    }

    /** Notes the answer, and whether there are other shards to ask. */
    boolean goesOnAfter(Decision decision) {
        boolean goesOn = false;
        for (int i = 0; i < statuses.size(); i++) {
            statuses.get(i).answered(decision.limits().get(i), !moved[i]);
            moved[i] = !decision.allowed() && statuses.get(i).next();
            goesOn |= moved[i];
        }
        return goesOn;
    }

    /** The last answer, told of the limits that were asked for. */
    Decision decision(Decision last) {
        List<LimitStatus> told = statuses.stream().map(ShardedStatus::status).toList();
        return new Decision(last.allowed(), told, last.source(), last.decidedAt());
    }
}
