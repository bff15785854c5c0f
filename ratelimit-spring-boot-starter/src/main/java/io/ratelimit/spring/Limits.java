package io.ratelimit.spring;

import io.ratelimit.Limit;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The configured limits by name; {@code default} is the one directly below {@code rate-limiter}. What {@link #get}
 * returns changes when the configuration is read again. Thread-safe. */
public final class Limits {

    private final Supplier<Map<String, Limit>> byName;

    public Limits(Collection<Limit> limits) {
        Map<String, Limit> fixed = limits.stream()
                .collect(Collectors.toMap(Limit::name, limit -> limit, (first, second) -> second, LinkedHashMap::new));
        this.byName = () -> fixed;
    }

    /** Creates limits that are those of another instance, which is asked for at each use because it may change. */
    public Limits(Supplier<Limits> inForce) {
        this.byName = () -> inForce.get().byName.get();
    }

    /**
     * Returns the limit of that name.
     *
     * @throws IllegalArgumentException if there is none; the message lists those there are
     */
    public Limit get(String name) {
        Limit limit = byName.get().get(name);
        if (limit == null) {
            throw new IllegalArgumentException(unknown(name));
        }
        return limit;
    }

    /** Returns all of them as they are at one moment, in the order of their names. */
    public List<Limit> all() {
        return byName.get().values().stream()
                .sorted(Comparator.comparing(Limit::name))
                .toList();
    }

    public Set<String> names() {
        return Set.copyOf(byName.get().keySet());
    }

    private String unknown(String name) {
        if (name.equals("default")) {
            return "limit 'default' is used but not defined: set rate-limiter.max-requests";
        }
        if (name.isBlank()) {
            return "the name of a limit is empty: use one of %s"
                    .formatted(byName.get().keySet());
        }
        return "limit '%s' is unknown: define rate-limiter.limits.%s, or use one of %s"
                .formatted(name, name, byName.get().keySet());
    }
}
