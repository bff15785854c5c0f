package io.ratelimit.memory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.ratelimit.Ban;
import io.ratelimit.Limit;
import io.ratelimit.internal.SubjectHash;
import io.ratelimit.internal.algorithm.BanRecord;
import io.ratelimit.internal.algorithm.Tally;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one limit, by subject, bounded in number and in idle time. Thread-safe.
 *
 * <p>A thread may hold an entry that the cache is about to remove. The cache therefore retires an entry under the
 * entry's lock, and a thread that finds its entry retired looks the subject up again. If an entry was charged after the
 * cache found it idle and before it was retired, it is held for the subject's next look-up, so expiry never loses a
 * count. Exceeding the maximum number of subjects does, but not of those who are refused or banned, or have used up their
 * quota: they are held as long as {@link HeldEntries} has room.
 */
final class SubjectCache {

    /** Bytes of held entries for each subject that the cache may keep: 16 MB by default. */
    private static final long HELD_BYTES = 160;

    private final Supplier<Tally> newTally;
    private final Cache<String, Entry> entries;
    private final HeldEntries held;
    private final TickingClock clock;
    private volatile Limit longestLived;
    private volatile long maxSubjects;

    SubjectCache(Limit limit, long maxSubjects, TickingClock clock) {
        this.newTally = () -> Tally.of(limit.algorithm(), limit.quota().window());
        this.clock = clock;
        this.longestLived = limit;
        this.maxSubjects = maxSubjects;
        this.held = new HeldEntries(HELD_BYTES * Math.min(maxSubjects, Integer.MAX_VALUE));
        this.entries = Caffeine.newBuilder()
                .maximumSize(maxSubjects)
                .expireAfterAccess(lifeMicros(limit), TimeUnit.MICROSECONDS)
                .ticker(clock)
                .evictionListener(this::retire)
                .executor(Runnable::run) // waking another thread would cost a decision more than the maintenance
                .build();
    }

    Entry entry(String subject) {
        String name = SubjectHash.shortened(subject);
        Entry entry = entries.getIfPresent(name);
        return entry != null ? entry : entries.get(name, this::newEntry);
    }

    /** Returns the entry of a subject that is charged together with others. The cache has room for all of them at once. */
    Entry entry(String subject, int together) {
        makeRoomFor(together);
        return entry(subject);
    }

    /** Without room, each look-up would retire what the one before has found, and the call never lock all entries. */
    private void makeRoomFor(int subjects) {
        if (subjects > maxSubjects) {
            synchronized (this) {
                maxSubjects = Math.max(maxSubjects, subjects);
                entries.policy().eviction().orElseThrow().setMaximum(maxSubjects);
            }
        }
    }

    /** Keeps idle entries for longer if this limit takes longer to refill, or bans for longer, than those before. */
    void keepAsLongAs(Limit limit) {
        Limit longest = longestLived;
        boolean isKnown = limit.quota().equals(longest.quota()) && limit.ban().equals(longest.ban());
        if (!isKnown && lifeMicros(limit) > lifeMicros(longest)) {
            longestLived = limit;
            entries.policy()
                    .expireAfterAccess()
                    .orElseThrow()
                    .setExpiresAfter(lifeMicros(limit), TimeUnit.MICROSECONDS);
        }
    }

    void forget(String subject) {
        remove(SubjectHash.shortened(subject));
    }

    void forgetAll() {
        entries.cleanUp(); // removes expired entries, which the key set leaves out
        entries.asMap().keySet().forEach(this::remove);
        held.names().forEach(this::remove); // last, because entries may leave the cache meanwhile
    }

    /**
     * Retires and removes an entry in one step, in which no other thread can create the next one. An expired entry is
     * removed before that step, and may then be held as one that was charged while leaving.
     */
    private void remove(String name) {
        entries.asMap().compute(name, (key, entry) -> {
            if (entry != null) {
                synchronized (entry) {
                    entry.retired = true;
                }
            }
            held.remove(key);
            return null;
        });
    }

    long size() {
        long nowMicros = clock.nowMicros(); // advances the ticker, so that idle entries expire
        entries.cleanUp();
        return entries.estimatedSize() + held.outsideOfCache(nowMicros);
    }

    private Entry newEntry(String name) {
        Entry successor = held.successor(name);
        return successor == null ? new Entry(newTally.get()) : successor;
    }

    private void retire(@Nullable String name, @Nullable Entry entry, RemovalCause cause) {
        if (name == null || entry == null) {
            return;
        }
        boolean isExpired = cause == RemovalCause.EXPIRED;
        long nowMicros;
        boolean matters;
        long bytes;
        synchronized (entry) {
            entry.retired = true;
            // under the lock: a time before that of the last decision is to its tally a clock that steps back
            nowMicros = isExpired ? clock.nowMicros() : clock.tickMicros();
            if (isExpired) {
                entry.heldUntilMicros = nowMicros + lastsMicros(entry, nowMicros);
            }
            matters = entry.heldUntilMicros > nowMicros;
            bytes = HeldEntries.bytes(name, entry);
        }
        if (!matters) {
            held.remove(name);
        } else if (isExpired) {
            held.hold(name, entry, bytes, nowMicros);
        } else {
            held.offer(name, entry, bytes, nowMicros);
        }
    }

    private long lastsMicros(Entry entry, long clockMicros) {
        Limit limit = longestLived;
        long nowMicros = entry.tally.now(limit.quota(), clockMicros);
        BanRecord bans = entry.bans;
        return Math.max(
                bans == null ? 0 : bans.lastsMicros(clockMicros), entry.tally.lastsMicros(limit.quota(), nowMicros));
    }

    /** Returns a time after which nothing counts: two windows or two refills, and what a ban matters for. */
    private static long lifeMicros(Limit limit) {
        long ofCounts = 2 * Math.max(limit.quota().windowMicros(), limit.quota().refillMicros());
        return Math.max(ofCounts, limit.ban().map(Ban::longestLifeMicros).orElse(0L));
    }
}
