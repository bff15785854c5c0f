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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The bans and blocks that this process made in the store, and holds in an outage as well, until they end. Once the store admits a call
 * of their subject that began later, another process has lifted them, and they are lifted here, too. Thread-safe.
 */
final class MadeHere {

    private static final int MOST = 10_000;

    private record Key(StateId state, boolean isBan) {}

    /** @param number of the change, by which calls know what they saw */
    private record Made(Key key, SubjectChange change, long endNanos, long number) {}

    private final RateLimiter local;
    private final LongSupplier nanoTime;
    private final AtomicLong changes = new AtomicLong();
    private final Map<Key, Made> all = new ConcurrentHashMap<>();

    /** What was made of the subjects of calls that have begun since. */
    private final Map<Decide, List<Made>> watched = new ConcurrentHashMap<>();

    /** @param local holds in an outage */
    MadeHere(RateLimiter local, LongSupplier nanoTime) {
        this.local = local;
        this.nanoTime = nanoTime;
    }

    /** A change is about to be made, here and in the store: calls that began before do not lift it. */
    void changes(SubjectChange change) {
        boolean forgets = change instanceof Forget;
        if (!(change instanceof Block)) {
            all.computeIfPresent(key(change, true), (key, made) -> forgets ? null : later(made, made.endNanos()));
        }
        if (change instanceof Block || (change instanceof Forget forget && !forget.isOfBansOnly())) {
            all.computeIfPresent(key(change, false), (key, made) -> forgets ? null : later(made, made.endNanos()));
        }
    }

    private Made later(Made made, long endNanos) {
        return new Made(made.key(), made.change(), endNanos, changes.incrementAndGet());
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
            Key key = key(change, change instanceof BeginBan);
            Made now = new Made(key, change, nanoTime.getAsLong() + 1_000 * micros, changes.incrementAndGet());
            all.merge(
                    key,
                    now,
                    (before, after) -> before.endNanos() - after.endNanos() > 0
                            ? later(after, before.endNanos()) // of several, the one that ends last holds
                            : after);
        }
    }

    private static Key key(SubjectChange change, boolean isBan) {
        return new Key(StateId.of(change.limit(), SubjectHash.shortened(change.subject())), isBan);
    }

    /** A call begins. */
    void begins(Decide call) {
        if (all.isEmpty() || !call.isCharging()) {
            return;
        }
        List<Made> found = new ArrayList<>();
        for (Charge charge : call.acquisition().charges()) {
            StateId state = StateId.of(charge.limit(), SubjectHash.shortened(charge.subject()));
            addTo(found, new Key(state, true), charge);
            addTo(found, new Key(state, false), charge);
        }
        if (!found.isEmpty()) {
            watched.put(call, found);
        }
    }

    /** A plan with another ban, or none, may be admitted while the ban holds. */
    private void addTo(List<Made> found, Key key, Charge charge) {
        Made made = all.get(key);
        if (made == null) {
            return;
        }
        if (made.endNanos() - nanoTime.getAsLong() <= 0) {
            all.remove(key, made);
        } else if (!key.isBan()
                || made.change().limit().ban().equals(charge.limit().ban())) {
            found.add(made);
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

    /** One that only reports admits in any case. Bans stand before blocks; a block beside a ban that holds stays. */
    private void lift(Made made) {
        SubjectChange change = made.change();
        boolean besideBan =
                !made.key().isBan() && all.containsKey(new Key(made.key().state(), true));
        if (change.limit().reportOnly() || besideBan || !all.remove(made.key(), made)) {
            return;
        }
        if (made.key().isBan()) {
            local.unban(change.limit(), change.subject());
        } else {
            local.reset(change.limit(), change.subject());
        }
    }
}
