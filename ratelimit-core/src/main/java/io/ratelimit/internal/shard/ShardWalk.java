package io.ratelimit.internal.shard;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The progress of one acquisition from shard to shard. A charge moves to its next shard when the current one refuses
 * it, whatever the other charges got. Not thread-safe: store calls follow one another.
 */
final class ShardWalk {

    private final Acquisition original;
    private final List<ShardedStatus> statuses = new ArrayList<>();

    /** True where the charge tries another shard than before. */
    private final boolean[] moved;

    /** True where that shard is known to admit it, or is the next without a look ahead. */
    private final boolean[] found;

    /** True once a limit with a ban has refused. */
    private boolean looksOnly;

    ShardWalk(Acquisition original, IntUnaryOperator first) {
        this.original = original;
        this.moved = new boolean[original.charges().size()];
        this.found = new boolean[moved.length];
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
     * Records the store's decision; returns whether a charge was refused and has another shard. After the refusal
     * of a limit with a ban, which would count the next one as another call, the others are only looked at.
     */
    boolean goesOnAfter(Decision decision) {
        boolean goesOn = false;
        for (int i = 0; i < statuses.size(); i++) {
            statuses.get(i).answered(decision.limits().get(i), !moved[i]);
            moved[i] = !decision.allowed() && statuses.get(i).next();
            found[i] = false;
            goesOn |= moved[i];
        }
        looksOnly = decision.limits().stream()
                .anyMatch(status -> status.refuses() && status.limit().ban().isPresent());
        return goesOn;
    }

    /** Returns the charges at the shards to look at before the walk goes on; empty if there are none. */
    List<Charge> ahead() {
        List<Charge> charges = new ArrayList<>();
        for (int i = 0; i < statuses.size(); i++) {
            if (moved[i] && !found[i]) {
                Charge charge = original.charges().get(i);
                statuses.get(i).ahead(looksOnly).forEach(shard -> charges.add(Shards.shard(charge, shard)));
            }
        }
        return charges;
    }

    /** Moves each charge to the first of those shards that would admit it, and returns whether a charge has a shard to try. */
    boolean goesOnAfterPeek(Decision peeked) {
        Iterator<LimitStatus> answers = peeked.limits().iterator();
        boolean goesOn = false;
        for (int i = 0; i < statuses.size(); i++) {
            if (moved[i] && !found[i]) {
                ShardedStatus status = statuses.get(i);
                int ahead = status.ahead(looksOnly).size();
                found[i] = ahead == 0;
                for (int j = 0; j < ahead; j++) {
                    LimitStatus answer = answers.next();
                    found[i] = found[i] || !status.passes(answer, looksOnly);
                }
                moved[i] = found[i] || !status.isOver();
            }
            goesOn |= moved[i] && !looksOnly;
        }
        return goesOn;
    }

    /** Returns the store's last decision in terms of the limits of the original acquisition. */
    Decision decision(Decision last) {
        List<LimitStatus> limits = statuses.stream().map(ShardedStatus::status).toList();
        return new Decision(last.allowed(), limits, last.source(), last.decidedAt(), last.taken());
    }
}
