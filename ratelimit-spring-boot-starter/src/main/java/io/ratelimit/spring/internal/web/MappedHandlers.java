package io.ratelimit.spring.internal.web;

import io.ratelimit.spring.internal.rule.Routes.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.http.server.PathContainer;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.util.pattern.PathPattern;

/** Finds the methods of controllers that a request is mapped to. Thread-safe. */
public final class MappedHandlers {

    /**
     * A method of a controller.
     *
     * @param methods HTTP methods; empty for all
     */
    public record Mapping(List<PathPattern> patterns, Set<String> methods, HandlerMethod handler) {}

    private record Match(PathPattern pattern, HandlerMethod handler) {}

    private final Supplier<List<Mapping>> mappings;

    /** @param mappings called with each request */
    public MappedHandlers(Supplier<List<Mapping>> mappings) {
        this.mappings = mappings;
    }

    /**
     * Returns the method with the most specific pattern. Returns several if they differ only by headers, parameters or
     * media types, which are not compared.
     *
     * @param sent the path as it was sent, by which Spring looks for controllers
     */
    public List<HandlerMethod> find(String method, PathContainer sent) {
        List<Match> matches = new ArrayList<>();
        for (Mapping mapping : mappings.get()) {
            if (Route.includes(mapping.methods(), method)) {
                match(mapping.patterns(), sent)
                        .ifPresent(pattern -> matches.add(new Match(pattern, mapping.handler())));
            }
        }
        Optional<PathPattern> best =
                matches.stream().map(Match::pattern).sorted().findFirst();
        return matches.stream()
                .filter(match -> best.isPresent() && match.pattern().compareTo(best.get()) == 0)
                .map(Match::handler)
                .toList();
    }

    private static Optional<PathPattern> match(List<PathPattern> patterns, PathContainer sent) {
        return patterns.stream()
                .filter(pattern -> pattern.matches(sent))
                .sorted()
                .findFirst();
    }
}
