package io.ratelimit.internal.layer;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.call.Bans;
import io.ratelimit.internal.call.BeginBan;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Forget;
import io.ratelimit.internal.call.StateId;
import io.ratelimit.internal.call.SubjectChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The subjects that this process banned or blocked in the store, and in its own memory for an outage. Once the store admits a call of
 * such a subject that began later, and memory would not, another process has lifted that, and memory does so, too. Thread-safe.
 */
final class MadeHere {

    private static final int MOST = 100_000; // as many as memory keeps

    /** A ban or a block of a subject. */
    private record Held(StateId id, boolean banned) {}

    /**
     * The last change of a ban or block.
     *
     * @param isMade false while the store has not made the one that began last
     * @param nanos how long it holds; 0 if no longer than those before
     */
    private record Change(long number, boolean isMade, long nanos) {}

    /** A charge of a call, and the last change of what was held of its subject when it began. */
    private record Seen(Charge charge, Held held, Change change) {}

    private final RateLimiter local;
    private final AtomicLong changes = new AtomicLong();

    /** The last change of each, until the last of them ends. */
    private final ConcurrentMap<Held, Change> made = Caffeine.newBuilder()
            .maximumSize(MOST)
            .expireAfter(new UntilTheLastEnds())
            .executor(Runnable::run)
            .<Held, Change>build()
            .asMap();

    /** Calls of such subjects. */
    private final Map<Decide, List<Seen>> watched = new ConcurrentHashMap<>();

    /** @param local decides in an outage */
    MadeHere(RateLimiter local) {
        this.local = local;
    }

    /**
     * Makes a change in memory, which the store is about to make: calls that began before lift nothing, nor do any before a ban or
     * block is made there.
     */
    synchronized void apply(SubjectChange change) {
        for (Held held : held(change)) {
            made.computeIfPresent(
                    held, (id, before) -> new Change(changes.incrementAndGet(), before.isMade() && !holds(change), 0));
        }
        change.applyTo(local);
    }

    /** The store has made a change, or will not make it. */
    void made(SubjectChange change) {
        for (Held held : held(change)) {
            if (holds(change)) {
                made.put(held, new Change(changes.incrementAndGet(), true, nanos(change)));
            } else if (change instanceof Forget) {
                made.remove(held);
            }
        }
    }

    /** A call begins. */
    void begins(Decide call) {
        if (made.isEmpty() || !call.isCharging()) {
            return;
        }
        List<Seen> seen = new ArrayList<>();
        for (Charge charge : call.acquisition().charges()) {
            StateId id = StateId.shortened(charge.limit(), charge.subject());
            for (Held held : List.of(new Held(id, true), new Held(id, false))) {
                Change change = made.get(held);
                if (change != null && change.isMade()) {
                    seen.add(new Seen(charge, held, change));
                }
            }
        }
        if (!seen.isEmpty()) {
            watched.put(call, seen);
        }
    }

    /** A call has ended. */
    void ended(Decide call) {
        List<Seen> seen = watched.isEmpty() ? null : watched.remove(call);
        Decision decision = call.decision();
        if (seen != null && decision != null && decision.allowed() && decision.source() == Decision.Source.STORE) {
            seen.forEach(this::lift);
        }
    }

    /** One that only reports admits in any case. No other block or ban begins meanwhile. */
    private synchronized void lift(Seen seen) {
        Charge charge = seen.charge();
        if (charge.limit().reportOnly() || !Objects.equals(made.get(seen.held()), seen.change())) {
            return;
        }
        LimitStatus here = local.peek(new Acquisition(List.of(charge))).limits().get(0);
        if (seen.held().banned() && here.banned()) {
            local.unban(charge.limit(), charge.subject());
        } else if (!seen.held().banned() && here.blocked()) {
            local.reset(charge.limit(), charge.subject());
        }
    }

    /** Returns for how long memory refuses after a ban or block. */
    private long nanos(SubjectChange change) {
        Duration length = change instanceof Block block
                ? block.length()
                : local.peek(new Acquisition(List.of(Bans.charge(change.limit(), change.subject()))))
                        .limits()
                        .get(0)
                        .bannedFor();
        return length.toNanos();
    }

    /** Returns whether nobody is admitted after the change. */
    private static boolean holds(SubjectChange change) {
        return change instanceof BeginBan || (change instanceof Block block && block.remaining() == 0);
    }

    /** Returns what the change begins, shortens or ends. */
    private static List<Held> held(SubjectChange change) {
        StateId id = StateId.shortened(change.limit(), change.subject());
        Held ban = new Held(id, true);
        Held block = new Held(id, false);
        if (change instanceof Forget forget) {
            return forget.isOfBansOnly() ? List.of(ban) : List.of(ban, block);
        }
        return List.of(change instanceof BeginBan ? ban : block);
    }

    private static final class UntilTheLastEnds implements Expiry<Held, Change> {

        @Override
        public long expireAfterCreate(Held held, Change change, long nowNanos) {
            return change.nanos();
        }

        @Override
        public long expireAfterUpdate(Held held, Change change, long nowNanos, long leftNanos) {
            return Math.max(leftNanos, change.nanos());
        }

        @Override
        public long expireAfterRead(Held held, Change change, long nowNanos, long leftNanos) {
            return leftNanos;
        }
    }
}
