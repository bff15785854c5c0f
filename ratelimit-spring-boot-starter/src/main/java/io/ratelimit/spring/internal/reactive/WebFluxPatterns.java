package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.internal.web.MappedHandlers.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.context.ApplicationContext;
import org.springframework.web.reactive.handler.AbstractHandlerMapping;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** Parses patterns so that they match as those of the application's controllers do. Thread-safe. */
public final class WebFluxPatterns {

    /** Actuator has handler mappings of the same type, so the name says which is meant. */
    private static final String CONTROLLERS = "requestMappingHandlerMapping";

    private final PathPatternParser parser;

    private WebFluxPatterns(PathPatternParser parser) {
        this.parser = parser;
    }

    /** With the options of WebFlux's handler mapping. Call it once WebFlux is up. */
    public static WebFluxPatterns of(ApplicationContext context) {
        return context.containsBean(CONTROLLERS)
                        && context.getBean(CONTROLLERS) instanceof AbstractHandlerMapping mapping
                ? new WebFluxPatterns(mapping.getPathPatternParser())
                : new WebFluxPatterns(PathPatternParser.defaultInstance);
    }

    public List<PathPattern> parse(String pattern) {
        return List.of(parser.parse(pattern));
    }

    /** Returns the methods of controllers with their patterns. */
    public static List<Mapping> mappings(ApplicationContext context) {
        List<Mapping> mappings = new ArrayList<>();
        if (context.containsBean(CONTROLLERS)
                && context.getBean(CONTROLLERS) instanceof RequestMappingHandlerMapping controllers) {
            controllers
                    .getHandlerMethods()
                    .forEach((info, handler) -> mappings.add(new Mapping(
                            List.copyOf(info.getPatternsCondition().getPatterns()),
                            info.getMethodsCondition().getMethods().stream()
                                    .map(Enum::name)
                                    .collect(Collectors.toSet()),
                            handler)));
        }
        return mappings;
    }
}
