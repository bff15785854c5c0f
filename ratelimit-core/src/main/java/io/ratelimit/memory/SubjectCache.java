package io.ratelimit.memory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.ratelimit.Algorithm;
import io.ratelimit.algorithm.Quota;
import io.ratelimit.internal.SubjectHash;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one limit, by subject, bounded in number and in idle time. Thread-safe.
 *
 * <p>A thread may hold an entry that the cache is just letting go of. So the cache retires an entry under the entry's lock,
 * and who finds it retired looks it up again. If the entry was charged between being found idle for too long and being
 * retired, it is kept for the subject's next look-up: idleness never costs a count. Being one too many does.
 */
final class SubjectCache {

    private final Algorithm algorithm;
    private final Cache<String, Entry> entries;
    private final ConcurrentHashMap<String, Entry> chargedWhileLeaving = new ConcurrentHashMap<>();
    private final TickingClock clock;
    private volatile Quota longestLived;

    SubjectCache(Algorithm algorithm, Quota quota, long maxSubjects, TickingClock clock) {
        this.algorithm = algorithm;
        this.clock = clock;
        this.longestLived = quota;
        this.entries = Caffeine.newBuilder()
                .maximumSize(maxSubjects)
                .expireAfterAccess(lifeMicros(quota), TimeUnit.MICROSECONDS)
                .ticker(clock)
                .evictionListener(this::retire)
                .executor(Runnable::run) // a wake-up of another thread costs a decision more than the upkeep does
                .build();
    }

    Entry entry(String subject) {
        String name = name(subject);
        Entry entry = entries.getIfPresent(name);
        return entry != null ? entry : entries.get(name, this::newEntry);
    }

    /** Keeps idle entries as long as this quota may need them, for a limit whose refill takes longer now. */
    void keepAsLongAs(Quota quota) {
        if (!quota.equals(longestLived) && lifeMicros(quota) > lifeMicros(longestLived)) {
            longestLived = quota;
            entries.policy()
                    .expireAfterAccess()
                    .orElseThrow()
                    .setExpiresAfter(lifeMicros(quota), TimeUnit.MICROSECONDS);
        }
    }

    void forget(String subject) {
        String name = name(subject);
        entries.asMap().computeIfPresent(name, (key, entry) -> {
            synchronized (entry) {
                entry.retired = true;
            }
            return null;
        });
        // one that was idle for too long is not present, but leaves only now
        entries.invalidate(name);
        chargedWhileLeaving.remove(name);
    }

    long size() {
        clock.nowMicros(); // a tick, so that what is idle for too long by now goes, too
        entries.cleanUp();
        return entries.estimatedSize() + chargedWhileLeaving.size();
    }

    private Entry newEntry(String name) {
        Entry charged = chargedWhileLeaving.remove(name);
        return charged != null ? new Entry(charged.tally) : new Entry(algorithm.newTally());
    }

    private void retire(@Nullable String name, @Nullable Entry entry, RemovalCause cause) {
        if (name == null || entry == null) {
            return;
        }
        boolean kept;
        synchronized (entry) {
            entry.retired = true;
            kept = cause == RemovalCause.EXPIRED && counts(entry);
            if (kept) {
                chargedWhileLeaving.put(name, entry);
            }
        }
        if (kept) {
            chargedWhileLeaving.values().removeIf(left -> !counts(left)); // whose subjects did not come back
        }
    }

    private boolean counts(Entry entry) {
        synchronized (entry) {
            long nowMicros = entry.tally.now(longestLived, clock.nowMicros());
            return entry.tally.lastsMicros(longestLived, nowMicros) > 0;
        }
    }

    /** A long subject is kept by its hash, or whoever chooses it would choose how much of the heap it takes. */
    private static String name(String subject) {
        boolean kept = subject.length() <= SubjectHash.LONGEST_BYTES && !SubjectHash.isLike(subject);
        return kept ? subject : SubjectHash.of(subject);
    }

    /** Longer than any algorithm remembers: two windows, or two refills. */
    private static long lifeMicros(Quota quota) {
        return 2 * Math.max(quota.windowMicros(), quota.refillMicros());
    }
}
