package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.web.MappedHandlers.Mapping;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.util.PathMatcher;
import org.springframework.web.context.support.WebApplicationContextUtils;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** Parses patterns so that they match as those of the application's controllers do. Thread-safe. */
public final class MvcPatterns {

    /** Chosen by name, because actuator has handler mappings of the same type. */
    private static final String CONTROLLERS = "requestMappingHandlerMapping";

    private final PathPatternParser parser;
    private final boolean trailingSlash;

    private MvcPatterns(PathPatternParser parser, boolean trailingSlash) {
        this.parser = parser;
        this.trailingSlash = trailingSlash;
    }

    /** With the options of Spring MVC's handler mapping. Call it once Spring MVC is up. */
    public static MvcPatterns of(ApplicationContext context) {
        return controllers(context)
                .map(MvcPatterns::of)
                .orElseGet(() -> new MvcPatterns(PathPatternParser.defaultInstance, false));
    }

    private static MvcPatterns of(AbstractHandlerMapping controllers) {
        @Nullable PathPatternParser own = controllers.getPatternParser();
        return own == null ? likeAnt(controllers.getPathMatcher()) : new MvcPatterns(own, false);
    }

    /** Returns the path by which an Ant matcher finds the controller of a request; empty where controllers have path patterns. */
    static Optional<String> antPath(HttpServletRequest request) {
        return Optional.ofNullable(WebApplicationContextUtils.getWebApplicationContext(request.getServletContext()))
                .flatMap(MvcPatterns::controllers)
                .filter(controllers -> controllers.getPatternParser() == null)
                .map(controllers -> controllers.getUrlPathHelper().getLookupPathForRequest(request));
    }

    private static Optional<AbstractHandlerMapping> controllers(ApplicationContext context) {
        return context.containsBean(CONTROLLERS)
                        && context.getBean(CONTROLLERS) instanceof AbstractHandlerMapping mapping
                ? Optional.of(mapping)
                : Optional.empty();
    }

    /** Ignores trailing slashes, because not every version of Spring says whether they count. */
    private static MvcPatterns likeAnt(PathMatcher matcher) {
        PathPatternParser parser = new PathPatternParser();
        parser.setCaseSensitive(!matcher.match("/a", "/A"));
        return new MvcPatterns(parser, true);
    }

    public List<PathPattern> parse(String pattern) {
        PathPattern parsed = parser.parse(pattern);
        return trailingSlash && !pattern.endsWith("/") && !pattern.endsWith("**") && !pattern.contains("{*")
                ? List.of(parsed, parser.parse(pattern + "/"))
                : List.of(parsed);
    }

    /** Returns the methods of controllers with their patterns. */
    public static List<Mapping> mappings(ApplicationContext context) {
        List<Mapping> mappings = new ArrayList<>();
        if (context.containsBean(CONTROLLERS)
                && context.getBean(CONTROLLERS) instanceof RequestMappingHandlerMapping controllers) {
            MvcPatterns patterns = of(context);
            controllers
                    .getHandlerMethods()
                    .forEach((info, handler) -> mappings.add(new Mapping(
                            info.getPatternValues().stream()
                                    .flatMap(pattern -> parsed(patterns, pattern))
                                    .toList(),
                            info.getMethodsCondition().getMethods().stream()
                                    .map(Enum::name)
                                    .collect(Collectors.toSet()),
                            handler)));
        }
        return mappings;
    }

    /** Empty for an Ant pattern that cannot be written as a path pattern. */
    private static Stream<PathPattern> parsed(MvcPatterns patterns, String pattern) {
        try {
            return patterns.parse(pattern).stream();
        } catch (PatternParseException unparsable) {
            return Stream.empty();
        }
    }
}
