package io.ratelimit.spring.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Where management endpoints are, so that routes spare them: a health check must not run into a limit. */
public final class ManagementPaths {

    private static final String ACTUATOR = "org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints";

    private ManagementPaths() {}

    /** Each endpoint is at one of them or below; none without actuator. Found late, for endpoints come up late. */
    public static Supplier<List<String>> of(ApplicationContext context) {
        return ClassUtils.isPresent(ACTUATOR, ManagementPaths.class.getClassLoader())
                ? SingletonSupplier.of(() -> Endpoints.paths(context))
                : List::of;
    }

    /** A class of its own, for it cannot be loaded without actuator. */
    private static final class Endpoints {

        static List<String> paths(ApplicationContext context) {
            Environment environment = context.getEnvironment();
            String base = environment.getProperty("management.endpoints.web.base-path", "/actuator");
            boolean atRoot = base.isEmpty() || base.equals("/");
            List<String> paths = new ArrayList<>();
            if (!atRoot) {
                paths.add(base);
            }
            context.getBeanProvider(PathMappedEndpoints.class).ifAvailable(endpoints -> {
                if (atRoot && isServedHere(environment)) {
                    paths.addAll(endpoints.getAllPaths());
                }
                for (PathMappedEndpoint endpoint : endpoints) {
                    paths.addAll(endpoint.getAdditionalPaths(WebServerNamespace.SERVER));
                }
            });
            return List.copyOf(paths);
        }

        /** Whether the application's own port serves the endpoints, too. */
        private static boolean isServedHere(Environment environment) {
            String own = environment.getProperty("server.port", "8080");
            String management = environment.getProperty("management.server.port");
            return management == null || (management.equals(own) && !management.equals("0"));
        }
    }
}
