package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.internal.web.MappedHandlers.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.context.ApplicationContext;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;

/** The controllers of WebFlux. */
public final class WebFluxMappings {

    private WebFluxMappings() {}

    public static List<Mapping> of(ApplicationContext context) {
        List<Mapping> mappings = new ArrayList<>();
        if (context.containsBean(WebFluxPatterns.CONTROLLERS)
                && context.getBean(WebFluxPatterns.CONTROLLERS) instanceof RequestMappingHandlerMapping controllers) {
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
