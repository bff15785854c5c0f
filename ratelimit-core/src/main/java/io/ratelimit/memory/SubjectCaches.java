package io.ratelimit.memory;

import io.ratelimit.Limit;
import io.ratelimit.internal.LimitId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The cache of each limit, made when it is first asked for. Limits that share their counts share one. Thread-safe. */
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
        cache.keepAsLongAs(limit.quota());
        return cache;
    }

    private SubjectCache newCache(Limit limit) {
        return new SubjectCache(limit.algorithm(), limit.quota(), maxSubjects, clock);
    }
}
