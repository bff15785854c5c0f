package io.ratelimit.spring;

import io.ratelimit.Limit;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The configured limits by name; {@code default} is the one directly below {@code rate-limiter}. Immutable and thread-safe. */
public final class Limits {

    private final Map<String, Limit> byName;

    public Limits(Collection<Limit> limits) {
        this.byName = limits.stream()
                .collect(Collectors.toMap(Limit::name, limit -> limit, (first, second) -> second, LinkedHashMap::new));
    }

    /**
     * Returns the limit of that name.
     *
     * @throws IllegalArgumentException if there is none; the message lists those there are
     */
    public Limit get(String name) {
        Limit limit = byName.get(name);
        if (limit == null) {
            throw new IllegalArgumentException(unknown(name));
        }
        return limit;
    }

    public Set<String> names() {
        return Set.copyOf(byName.keySet());
    }

    private String unknown(String name) {
        if (name.equals("default")) {
            return "limit 'default' is used but not defined: set rate-limiter.max-requests";
        }
        if (name.isBlank()) {
            return "the name of a limit is empty: use one of %s".formatted(byName.keySet());
        }
        return "limit '%s' is unknown: define rate-limiter.limits.%s, or use one of %s"
                .formatted(name, name, byName.keySet());
    }
}
