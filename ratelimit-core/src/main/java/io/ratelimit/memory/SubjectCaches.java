package io.ratelimit.memory;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The cache of each limit, made when it is first asked for. Limits of one name and algorithm share one. Thread-safe. */
final class SubjectCaches {

    private final long maxSubjects;
    private final TickingClock clock;
    private final Map<Algorithm, Map<String, SubjectCache>> caches = new EnumMap<>(Algorithm.class);

    SubjectCaches(long maxSubjects, TickingClock clock) {
        this.maxSubjects = maxSubjects;
        this.clock = clock;
        for (Algorithm algorithm : Algorithm.values()) {
            caches.put(algorithm, new ConcurrentHashMap<>());
        }
    }

    SubjectCache of(Limit limit) {
        Map<String, SubjectCache> byName = Objects.requireNonNull(caches.get(limit.algorithm()));
        SubjectCache known = byName.get(limit.name());
        SubjectCache cache = known == null ? byName.computeIfAbsent(limit.name(), name -> newCache(limit)) : known;
        cache.keepAsLongAs(limit.quota());
        return cache;
    }

    private SubjectCache newCache(Limit limit) {
        return new SubjectCache(limit.algorithm(), limit.quota(), maxSubjects, clock);
    }
}
