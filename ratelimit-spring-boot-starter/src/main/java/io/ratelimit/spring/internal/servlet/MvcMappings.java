package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.web.MappedHandlers.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.context.ApplicationContext;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PatternParseException;

/** The controllers of Spring MVC. */
public final class MvcMappings {

    private MvcMappings() {}

    public static List<Mapping> of(ApplicationContext context) {
        List<Mapping> mappings = new ArrayList<>();
        if (context.containsBean(MvcPatterns.CONTROLLERS)
                && context.getBean(MvcPatterns.CONTROLLERS) instanceof RequestMappingHandlerMapping controllers) {
            MvcPatterns patterns = MvcPatterns.of(context);
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
