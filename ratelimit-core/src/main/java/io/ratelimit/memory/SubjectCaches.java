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

    /** Caches of limits that were asked for before, at places by identity: an application has few, and uses them again. */
    private final AtomicReferenceArray<@Nullable Known> known = new AtomicReferenceArray<>(32);

    private record Known(Limit limit, SubjectCache cache) {}

    SubjectCaches(long maxSubjects, TickingClock clock) {
        this.maxSubjects = maxSubjects;
        this.clock = clock;
    }

    @SuppressWarnings("ReferenceEquality") // an equal limit is looked up by its identity
    SubjectCache of(Limit limit) {
        int place = System.identityHashCode(limit) & (known.length() - 1);
        Known last = known.getPlain(place);
        if (last != null && last.limit == limit) {
            return last.cache;
        }
        SubjectCache cache = caches.computeIfAbsent(LimitId.of(limit), unknown -> newCache(limit));
        cache.keepAsLongAs(limit);
        known.set(place, new Known(limit, cache));
        return cache;
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
