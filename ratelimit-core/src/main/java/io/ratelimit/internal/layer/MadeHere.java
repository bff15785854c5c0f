package io.ratelimit.internal.layer;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.SubjectHash;
import io.ratelimit.internal.call.BeginBan;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Forget;
import io.ratelimit.internal.call.StateId;
import io.ratelimit.internal.call.SubjectChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The bans and blocks that this process made in the store, and holds in an outage as well, until they end. Once the store admits a call
 * of their subject that began later, another process has lifted them, and they are lifted here, too. Thread-safe.
 */
final class MadeHere {

    private static final int MOST = 10_000;

    private record Key(StateId state, boolean isBan) {}

    private record Made(Key key, SubjectChange change, long endNanos) {}

    private final RateLimiter local;
    private final LongSupplier nanoTime;
    private final Map<Key, Made> all = new ConcurrentHashMap<>();

    /** What was made of the subjects of calls that have begun since. */
    private final Map<Decide, List<Made>> watched = new ConcurrentHashMap<>();

    /** @param local holds in an outage */
    MadeHere(RateLimiter local, LongSupplier nanoTime) {
        this.local = local;
        this.nanoTime = nanoTime;
    }

    /** A change is about to be made, here and in the store: what it replaces is not lifted any more. */
    void changes(SubjectChange change) {
        StateId state = StateId.of(change.limit(), SubjectHash.shortened(change.subject()));
        if (change instanceof BeginBan || change instanceof Forget) {
            all.remove(new Key(state, true));
        }
        if (change instanceof Block || (change instanceof Forget forget && !forget.isOfBansOnly())) {
            all.remove(new Key(state, false));
        }
    }

    /** The store has made a change. */
    void made(SubjectChange change) {
        long micros = 0;
        if (change instanceof Block block && block.remaining() == 0) {
            micros = block.micros();
        } else if (change instanceof BeginBan) {
            List<Long> lengths = change.limit().ban().orElseThrow().lengthsMicros();
            micros = lengths.get(lengths.size() - 1);
        }
        if (micros > 0) {
            if (all.size() >= MOST) {
                all.clear();
            }
            StateId state = StateId.of(change.limit(), SubjectHash.shortened(change.subject()));
            Key key = new Key(state, change instanceof BeginBan);
            all.put(key, new Made(key, change, nanoTime.getAsLong() + 1_000 * micros));
        }
    }

    /** A call begins. */
    void begins(Decide call) {
        if (all.isEmpty() || !call.isCharging()) {
            return;
        }
        List<Made> found = new ArrayList<>();
        for (Charge charge : call.acquisition().charges()) {
            StateId state = StateId.of(charge.limit(), SubjectHash.shortened(charge.subject()));
            addTo(found, new Key(state, true));
            addTo(found, new Key(state, false));
        }
        if (!found.isEmpty()) {
            watched.put(call, found);
        }
    }

    private void addTo(List<Made> found, Key key) {
        Made made = all.get(key);
        if (made != null && made.endNanos() - nanoTime.getAsLong() > 0) {
            found.add(made);
        } else if (made != null) {
            all.remove(key, made);
        }
    }

    /** A call has ended. */
    void ended(Decide call) {
        List<Made> found = watched.isEmpty() ? null : watched.remove(call);
        Decision decision = call.decision();
        if (found != null && decision != null && decision.allowed() && decision.source() == Decision.Source.STORE) {
            found.forEach(this::lift);
        }
    }

    /** One that only reports admits in any case. */
    private void lift(Made made) {
        SubjectChange change = made.change();
        if (change.limit().reportOnly() || !all.remove(made.key(), made)) {
            return;
        }
        if (change instanceof BeginBan) {
            local.unban(change.limit(), change.subject());
        } else {
            local.reset(change.limit(), change.subject());
        }
    }
}
