package io.ratelimit.memory;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The table of each limit, made when it is first asked for. Limits of one name and algorithm share one. Thread-safe. */
final class Tables {

    private final long maxSubjects;
    private final TickingClock clock;
    private final Map<Algorithm, Map<String, Table>> tables = new EnumMap<>(Algorithm.class);

    Tables(long maxSubjects, TickingClock clock) {
        this.maxSubjects = maxSubjects;
        this.clock = clock;
        for (Algorithm algorithm : Algorithm.values()) {
            tables.put(algorithm, new ConcurrentHashMap<>());
        }
    }

    Table of(Limit limit) {
        Map<String, Table> byName = Objects.requireNonNull(tables.get(limit.algorithm()));
        Table known = byName.get(limit.name());
        Table table = known == null ? byName.computeIfAbsent(limit.name(), name -> newTable(limit)) : known;
        table.keepAsLongAs(limit.quota());
        return table;
    }

    private Table newTable(Limit limit) {
        return new Table(limit.algorithm(), limit.quota(), maxSubjects, clock);
    }
}
