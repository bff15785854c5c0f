package io.ratelimit.memory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.ratelimit.Ban;
import io.ratelimit.Limit;
import io.ratelimit.internal.SubjectHash;
import io.ratelimit.internal.algorithm.BanRecord;
import io.ratelimit.internal.algorithm.Tally;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one limit, by subject, bounded in number and in idle time. Thread-safe.
 *
 * <p>A thread may hold an entry that the cache is about to remove. The cache therefore retires an entry under the
 * entry's lock, and a thread that finds its entry retired looks the subject up again. If an entry was charged after the
 * cache found it idle and before it was retired, it is kept for the subject's next look-up, so expiry never loses a
 * count. Exceeding the maximum number of subjects does.
 */
final class SubjectCache {

    private final Supplier<Tally> newTally;
    private final Cache<String, Entry> entries;
    private final ConcurrentHashMap<String, Entry> chargedWhileLeaving = new ConcurrentHashMap<>();
    private final TickingClock clock;
    private volatile Limit longestLived;

    SubjectCache(Limit limit, long maxSubjects, TickingClock clock) {
        this.newTally = () -> Tally.of(limit.algorithm(), limit.quota().window());
        this.clock = clock;
        this.longestLived = limit;
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
        chargedWhileLeaving.clear();
        entries.asMap().keySet().forEach(this::remove);
    }

    /**
     * Retires and removes an entry in one step, in which no other thread can create the next one. An expired entry is
     * removed before that step, and may then be kept as one that was charged while leaving.
     */
    private void remove(String name) {
        entries.asMap().compute(name, (key, entry) -> {
            if (entry != null) {
                synchronized (entry) {
                    entry.retired = true;
                }
            }
            chargedWhileLeaving.remove(key);
            return null;
        });
    }

    long size() {
        clock.nowMicros(); // advances the ticker, so that entries that are idle for too long by now expire
        entries.cleanUp();
        return entries.estimatedSize() + chargedWhileLeaving.size();
    }

    private Entry newEntry(String name) {
        Entry charged = chargedWhileLeaving.remove(name);
        if (charged == null) {
            return new Entry(newTally.get());
        }
        Entry entry = new Entry(charged.tally);
        entry.bans = charged.bans;
        return entry;
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
            chargedWhileLeaving.values().removeIf(left -> !counts(left)); // entries whose subjects did not call again
        }
    }

    private boolean counts(Entry entry) {
        synchronized (entry) {
            Limit limit = longestLived;
            long clockMicros = clock.nowMicros();
            long nowMicros = entry.tally.now(limit.quota(), clockMicros);
            BanRecord bans = entry.bans;
            boolean remembersBans = bans != null && bans.lastsMicros(clockMicros) > 0;
            return remembersBans || entry.tally.lastsMicros(limit.quota(), nowMicros) > 0;
        }
    }

    /** Returns a time after which nothing counts: two windows or two refills, and what a ban matters for. */
    private static long lifeMicros(Limit limit) {
        long ofCounts = 2 * Math.max(limit.quota().windowMicros(), limit.quota().refillMicros());
        return Math.max(ofCounts, limit.ban().map(Ban::longestLifeMicros).orElse(0L));
    }
}
