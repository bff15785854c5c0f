package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import java.util.ArrayList;
import java.util.List;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Paths of routes that repeat what comes before all paths that routes see, and so match nothing. */
final class RepeatedContextPath implements Diagnosis {

    private static final List<String> PROPERTIES =
            List.of("server.servlet.context-path", "spring.mvc.servlet.path", "spring.webflux.base-path");

    private final RateLimiterProperties properties;
    private final Environment environment;

    RepeatedContextPath(RateLimiterProperties properties, Environment environment) {
        this.properties = properties;
        this.environment = environment;
    }

    @Override
    public MessageCode code() {
        return MessageCode.CONTEXT_PATH_REPEATED;
    }

    @Override
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        for (String property : PROPERTIES) {
            String before = StringUtils.trimTrailingCharacter(environment.getProperty(property, ""), '/');
            if (!before.isBlank()) {
                properties
                        .routes()
                        .forEach((name, route) -> route.paths().stream()
                                .filter(path -> (path + "/").startsWith(before + "/"))
                                .forEach(path -> findings.add(
                                        ("rate-limiter.routes.%s.paths '%s' begins with %s '%s', below which routes are matched, so"
                                                        + " that it most likely limits nothing. Leave '%s' out")
                                                .formatted(name, path, property, before, before))));
            }
        }
        return findings;
    }
}
