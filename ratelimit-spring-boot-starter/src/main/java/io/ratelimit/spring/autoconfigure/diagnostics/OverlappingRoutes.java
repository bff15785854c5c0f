package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.Limits;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LevelProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import io.ratelimit.spring.internal.rule.Routes.ManagementPaths;
import io.ratelimit.spring.internal.rule.Routes.Route;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Routes that count one request twice by one limit and one key: the limit then admits half of its quota, or the request
 * has two elements of one subject, of which only one can be counted. Compares patterns by their texts: two that meet
 * elsewhere, such as {@code /a/*} and {@code /*}{@code /b}, are not found.
 */
final class OverlappingRoutes {

    /** One wrong pattern may overlap with many routes. */
    private static final int MOST_FINDINGS = 20;

    /** Comparisons of paths, so that no start takes seconds. */
    private static final int MOST_COMPARISONS = 100_000;

    private static final Pattern MANY_SEGMENTS = Pattern.compile("\\*\\*|\\{\\*[^}]*}");

    /** A route or some of its levels, the key, and the limits by which it counts costs, or elements. */
    private record Named(
            String name,
            RouteProperties route,
            String key,
            @Nullable String element,
            List<String> counted) {

        /** Takes {@code caller} and {@code principal} for one, which they are for everybody who is authenticated. */
        private static String subject(String key) {
            return key.equals("caller") ? "principal" : key;
        }

        /** True if both may count one request by one limit and key. Conditions may keep apart what paths do not; report-only does. */
        boolean meets(Named other) {
            return subject(key).equals(subject(other.key))
                    && !Collections.disjoint(counted, other.counted)
                    && route.reportOnly() == other.route.reportOnly()
                    && route.condition() == null
                    && other.route.condition() == null;
        }
    }

    private final boolean ofElements;
    private final RateLimiterProperties properties;
    private final Limits limits;
    private final Supplier<ManagementPaths> management;

    /** @param ofElements whether to find routes that name different elements, instead of those that charge twice */
    OverlappingRoutes(
            boolean ofElements, RateLimiterProperties properties, Limits limits, Supplier<ManagementPaths> management) {
        this.ofElements = ofElements;
        this.properties = properties;
        this.limits = limits;
        this.management = management;
    }

    List<String> findings() {
        List<String> findings = new ArrayList<>();
        List<Named> earlier = new ArrayList<>();
        int comparisons = 0;
        for (Map.Entry<String, RouteProperties> entry : properties.routes().entrySet()) {
            List<Named> levels = named(entry.getKey(), entry.getValue());
            for (Named route : levels) {
                repeated(route).ifPresent(findings::add);
                for (Named other : earlier) {
                    if (findings.size() >= MOST_FINDINGS || comparisons >= MOST_COMPARISONS) {
                        return findings;
                    }
                    if (route.meets(other)) {
                        comparisons++;
                        finding(other, route).ifPresent(findings::add);
                    }
                }
            }
            earlier.addAll(levels);
        }
        return findings;
    }

    /** An element counts once, however often its limit is named. */
    private List<Named> named(String name, RouteProperties route) {
        if (route.levels().isEmpty()) {
            String key = Objects.requireNonNullElse(route.key(), properties.key());
            return List.of(new Named(name, route, key, route.element(), counted(route.limits())));
        }
        Map<String, Named> byKey = new LinkedHashMap<>();
        for (LevelProperties level : route.levels()) {
            String key = Objects.requireNonNull(level.key());
            byKey.merge(
                    key,
                    new Named(name, route, key, level.element(), counted(level.limits())),
                    (one, other) -> new Named(name, route, key, one.element, joined(one.counted, other.counted)));
        }
        return List.copyOf(byKey.values());
    }

    private List<String> counted(List<String> names) {
        return names.stream()
                .filter(limit -> limits.get(limit).algorithm().countsElements() == ofElements)
                .toList();
    }

    private static List<String> joined(List<String> some, List<String> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    private Optional<String> repeated(Named named) {
        Set<String> twice = named.counted.stream()
                .filter(limit -> Collections.frequency(named.counted, limit) > 1)
                .collect(Collectors.toCollection(TreeSet::new));
        return ofElements || twice.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "rate-limiter.routes.%s.%s names %s twice, so that each request is charged twice. Name it once"
                                .formatted(
                                        named.name,
                                        named.route.levels().isEmpty() ? "limits" : "levels",
                                        quoted(twice)));
    }

    private Optional<String> finding(Named one, Named other) {
        boolean oneElement = ofElements && Objects.equals(one.element, other.element);
        if (oneElement || !overlap(one.route, other.route)) {
            return Optional.empty();
        }
        Set<String> shared = new TreeSet<>(one.counted);
        shared.retainAll(other.counted);
        return Optional.of(
                ofElements
                        ? ("%s and %s count the elements '%s' and '%s' of the key '%s' in limit '%s', so that a request that both"
                                        + " match has two: write the same element in both, or a limit for each")
                                .formatted(
                                        one.name,
                                        other.name,
                                        one.element,
                                        other.element,
                                        one.key,
                                        shared.iterator().next())
                        : ("rate-limiter.routes.%s and rate-limiter.routes.%s both charge %s to the key '%s', so that a request that"
                                        + " both match is charged twice. Leave it out of one of them, or keep their paths or methods apart")
                                .formatted(one.name, other.name, quoted(shared), one.key));
    }

    private boolean overlap(RouteProperties one, RouteProperties other) {
        List<String> excluded = joined(one.exclude(), other.exclude());
        return methodsOverlap(methods(one), methods(other))
                && one.paths().stream()
                        .anyMatch(path -> other.paths().stream().anyMatch(next -> meet(path, next, excluded)));
    }

    private static boolean methodsOverlap(Set<String> some, Set<String> others) {
        return some.isEmpty()
                || others.stream().anyMatch(method -> Route.includes(some, method))
                || some.stream().anyMatch(method -> Route.includes(others, method));
    }

    private static Set<String> methods(RouteProperties route) {
        return route.methods().stream()
                .map(method -> method.toUpperCase(Locale.ROOT))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private boolean meet(String one, String other, List<String> excluded) {
        ManagementPaths paths = management.get();
        return paths.areNamedBy(one) == paths.areNamedBy(other)
                && (meetWithin(one, other, excluded) || meetWithin(other, one, excluded));
    }

    private static boolean meetWithin(String pattern, String narrower, List<String> excluded) {
        return matches(pattern, narrower)
                && excluded.stream()
                        .noneMatch(
                                exclude -> excludes(exclude, narrower, "*/*") && excludes(exclude, narrower, "*/*/*"));
    }

    /** True of that many segments in the place of any number: an exclude of one, or of two, leaves the others. */
    private static boolean excludes(String exclude, String path, String segments) {
        return matches(exclude, MANY_SEGMENTS.matcher(path).replaceAll(segments));
    }

    private static boolean matches(String pattern, String path) {
        return pattern.equals(path)
                || PathPatternParser.defaultInstance.parse(pattern).matches(PathContainer.parsePath(path));
    }

    private static String quoted(Set<String> limits) {
        return "'" + String.join("', '", limits) + "'";
    }
}
