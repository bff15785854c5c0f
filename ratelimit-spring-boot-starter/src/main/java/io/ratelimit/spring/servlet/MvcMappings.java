package io.ratelimit.spring.servlet;

import io.ratelimit.spring.http.MappedHandlers.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.context.ApplicationContext;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

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
                                    .flatMap(pattern -> patterns.parse(pattern).stream())
                                    .toList(),
                            info.getMethodsCondition().getMethods().stream()
                                    .map(Enum::name)
                                    .collect(Collectors.toSet()),
                            handler)));
        }
        return mappings;
    }
}
