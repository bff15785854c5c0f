package io.ratelimit.internal.layer;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.SubjectHash;
import io.ratelimit.internal.call.BeginBan;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Forget;
import io.ratelimit.internal.call.StateId;
import io.ratelimit.internal.call.SubjectChange;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The bans and blocks that this process made in the store, and holds in an outage as well. Once the store admits a call of their
 * subject that began later, another process has lifted them, and they are lifted here, too. Thread-safe.
 */
final class MadeHere {

    private static final int MOST = 10_000;

    private final RateLimiter local;
    private final Map<StateId, SubjectChange> made = new ConcurrentHashMap<>();

    /** Calls that began while something was made of their subjects. */
    private final Set<Decide> watched = ConcurrentHashMap.newKeySet();

    /** @param local holds in an outage */
    MadeHere(RateLimiter local) {
        this.local = local;
    }

    /** The store has made a change. */
    void made(SubjectChange change) {
        StateId id = id(change.limit(), change.subject());
        if (change instanceof Forget) {
            made.remove(id);
        } else if (change instanceof BeginBan || (change instanceof Block block && block.remaining() == 0)) {
            if (made.size() >= MOST) {
                made.clear();
            }
            made.put(id, change);
        }
    }

    /** A call begins. */
    void begins(Decide call) {
        if (!made.isEmpty()
                && call.isCharging()
                && call.acquisition().charges().stream().anyMatch(charge -> made.containsKey(id(charge)))) {
            watched.add(call);
        }
    }

    /** A call has ended. */
    void ended(Decide call) {
        if (watched.isEmpty() || !watched.remove(call)) {
            return;
        }
        Decision decision = call.decision();
        if (decision != null && decision.allowed() && decision.source() == Decision.Source.STORE) {
            call.acquisition().charges().forEach(this::lift);
        }
    }

    private void lift(Charge charge) {
        SubjectChange lifted = charge.limit().reportOnly() ? null : made.remove(id(charge));
        if (lifted instanceof BeginBan) {
            local.unban(lifted.limit(), lifted.subject());
        } else if (lifted != null) {
            local.reset(lifted.limit(), lifted.subject());
        }
    }

    private static StateId id(Charge charge) {
        return id(charge.limit(), charge.subject());
    }

    private static StateId id(Limit limit, String subject) {
        return StateId.of(limit, SubjectHash.shortened(subject));
    }
}
