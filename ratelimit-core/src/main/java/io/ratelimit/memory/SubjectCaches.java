package io.ratelimit.memory;

import io.ratelimit.Limit;
import io.ratelimit.internal.call.LimitId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Creates and holds one cache for each {@link LimitId}: limits that share their counts share a cache. Thread-safe. */
final class SubjectCaches {

    private final long maxSubjects;
    private final TickingClock clock;
    private final Map<LimitId, SubjectCache> caches = new ConcurrentHashMap<>();

    /** Caches of limits that were asked for before, at places by name: an application has few, and uses them again. */
    private final AtomicReferenceArray<@Nullable Known> known = new AtomicReferenceArray<>(256);

    private record Known(Limit limit, LimitId id, SubjectCache cache) {}

    SubjectCaches(long maxSubjects, TickingClock clock) {
        this.maxSubjects = maxSubjects;
        this.clock = clock;
    }

    @SuppressWarnings("ReferenceEquality") // of most limits there is one object
    SubjectCache of(Limit limit) {
        int hash = limit.name().hashCode();
        int place = (hash ^ hash >>> 16) & (known.length() - 1);
        Known last = known.getPlain(place);
        if (last != null && last.limit == limit) {
            return last.cache;
        }
        if (last == null || !last.id.isOf(limit)) {
            LimitId id = LimitId.of(limit);
            last = new Known(limit, id, caches.computeIfAbsent(id, unknown -> newCache(limit)));
            known.set(place, last);
        }
        last.cache.keepAsLongAs(limit); // each plan and provided number is a limit of its own
        return last.cache;
    }

    long size() {
        return caches.values().stream().mapToLong(SubjectCache::size).sum();
    }

    void forgetAll() {
        caches.values().forEach(SubjectCache::forgetAll);
    }

    private SubjectCache newCache(Limit limit) {
        return new SubjectCache(limit, maxSubjects, clock);
    }
}
