package io.ratelimit.memory;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The table of each limit, made when it is first asked for. Limits of one name and algorithm share one. Thread-safe. */
final class Tables {

    private final long maxSubjects;
    private final TickingClock clock;
    private final Map<Algorithm, Map<String, Table>> tables = new ConcurrentHashMap<>();

    Tables(long maxSubjects, TickingClock clock) {
        this.maxSubjects = maxSubjects;
        this.clock = clock;
    }

    Table of(Limit limit) {
        Map<String, Table> byName = tables.get(limit.algorithm());
        Table known = byName == null ? null : byName.get(limit.name());
        Table table = known == null ? newTable(limit) : known;
        table.keepAsLongAs(limit.quota());
        return table;
    }

    private Table newTable(Limit limit) {
        return tables.computeIfAbsent(limit.algorithm(), algorithm -> new ConcurrentHashMap<>())
                .computeIfAbsent(limit.name(), name -> new Table(limit.algorithm(), limit.quota(), maxSubjects, clock));
    }
}
