package io.ratelimit.spring.internal.web;

import io.ratelimit.spring.internal.rule.Routes.ManagementPaths;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.util.pattern.PathPatternParser;

/** Finds what actuator answers on the application's own port. */
public final class ManagementEndpoints {

    private static final String ACTUATOR = "org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints";

    private ManagementEndpoints() {}

    /** Returns no paths without Actuator. They are found at the first use, because endpoints are created late. */
    public static Supplier<ManagementPaths> of(ApplicationContext context) {
        return ClassUtils.isPresent(ACTUATOR, ManagementEndpoints.class.getClassLoader())
                ? SingletonSupplier.of(() -> new Finder(context.getEnvironment()).find(context))
                : () -> ManagementPaths.NONE;
    }

    /** True if they have no port of their own. */
    public static boolean areServedHere(Environment environment) {
        int own = environment.getProperty("server.port", Integer.class, 8080); // an empty text is none
        Integer management = environment.getProperty("management.server.port", Integer.class);
        return management == null || (management == own && own != 0);
    }

    /** A class of its own, because it cannot be loaded without actuator. */
    private static final class Finder {

        private final Environment environment;
        private final List<String> patterns = new ArrayList<>();
        private final List<String> parents = new ArrayList<>();

        Finder(Environment environment) {
            this.environment = environment;
        }

        ManagementPaths find(ApplicationContext context) {
            context.getBeanProvider(PathMappedEndpoints.class).ifAvailable(this::addAll);
            PathPatternParser parser = PathPatternParser.defaultInstance;
            return new ManagementPaths(patterns.stream().map(parser::parse).toList(), List.copyOf(parents));
        }

        private void addAll(PathMappedEndpoints endpoints) {
            String base = endpoints.getBasePath();
            endpoints.forEach(endpoint -> add(endpoint, base));
            if (!base.isEmpty() && areServedHere(environment)) {
                parents.add(base);
                if (environment.getProperty("management.endpoints.web.discovery.enabled", Boolean.class, true)) {
                    patterns.add(base);
                }
            }
        }

        private void add(PathMappedEndpoint endpoint, String base) {
            List<String> additional = endpoint.getAdditionalPaths(WebServerNamespace.SERVER);
            patterns.addAll(additional);
            parents.addAll(additional);
            if (!areServedHere(environment)) {
                return;
            }
            String root = base + "/" + endpoint.getRootPath();
            parents.add(root);
            if (endpoint instanceof ExposableWebEndpoint web) {
                web.getOperations()
                        .forEach(operation -> patterns.add(
                                base + "/" + operation.getRequestPredicate().getPath()));
            } else {
                patterns.add(root + "/**");
            }
        }
    }
}
