package io.ratelimit.memory;

import io.ratelimit.Limit;
import io.ratelimit.internal.call.LimitId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Creates and holds one cache for each {@link LimitId}: limits that share their counts share a cache. Thread-safe. */
final class SubjectCaches {

    private final long maxSubjects;
    private final TickingClock clock;
    private final Map<LimitId, SubjectCache> caches = new ConcurrentHashMap<>();

    SubjectCaches(long maxSubjects, TickingClock clock) {
        this.maxSubjects = maxSubjects;
        this.clock = clock;
    }

    SubjectCache of(Limit limit) {
        LimitId id = LimitId.of(limit);
        SubjectCache known = caches.get(id);
        SubjectCache cache = known == null ? caches.computeIfAbsent(id, unknown -> newCache(limit)) : known;
        cache.keepAsLongAs(limit);
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
