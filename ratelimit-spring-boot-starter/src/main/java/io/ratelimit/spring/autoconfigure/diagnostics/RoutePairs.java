package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;

/**
 * Finds pairs of routes whose paths may meet by what the paths begin with, because comparing all routes with each other
 * takes seconds for a few thousand. Not thread-safe.
 */
final class RoutePairs {

    private static final int MOST_PAIRS = 100_000;

    private final List<RouteProperties> routes;
    private final Map<String, TreeSet<Integer>> byBeginning = new HashMap<>();

    RoutePairs(List<RouteProperties> routes) {
        this.routes = routes;
        for (int i = 0; i < routes.size(); i++) {
            for (String path : routes.get(i).paths()) {
                List<String> literals = beginnings(path, true);
                byBeginning
                        .computeIfAbsent(literals.get(literals.size() - 1), beginning -> new TreeSet<>())
                        .add(i);
            }
        }
    }

    /**
     * Calls with the indexes of each pair once, the lower one first, until the answer is false; at most for 100,000 pairs,
     * which are reached only where hundreds of routes begin alike.
     */
    void forEach(BiPredicate<Integer, Integer> action) {
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < routes.size(); i++) {
            for (int other : meeting(i)) {
                int low = Math.min(i, other);
                int high = Math.max(i, other);
                if (low != high && seen.add(((long) low << 32) + high)) {
                    if (!action.test(low, high) || seen.size() >= MOST_PAIRS) {
                        return;
                    }
                }
            }
        }
    }

    private Set<Integer> meeting(int route) {
        Set<Integer> meeting = new TreeSet<>();
        for (String path : routes.get(route).paths()) {
            for (String beginning : beginnings(path, false)) {
                meeting.addAll(byBeginning.getOrDefault(beginning, new TreeSet<>()));
            }
        }
        return meeting;
    }

    /**
     * Returns the beginnings of the path, from the empty one to all of its segments, or to the last one before a
     * wildcard.
     */
    private static List<String> beginnings(String path, boolean literal) {
        List<String> beginnings = new ArrayList<>(List.of(""));
        StringBuilder beginning = new StringBuilder();
        for (String segment : path.split("/", -1)) {
            if (literal && segment.chars().anyMatch(c -> c == '*' || c == '?' || c == '{')) {
                break;
            }
            if (!segment.isEmpty()) {
                beginnings.add(beginning.append('/').append(segment).toString());
            }
        }
        return beginnings;
    }
}
