package io.ratelimit.spring.autoconfigure;

import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Where management endpoints are, so that routes spare them: a health check must not run into a limit. */
public final class ManagementPath {

    private static final String ACTUATOR = "org.springframework.boot.actuate.endpoint.annotation.Endpoint";

    private ManagementPath() {}

    /** The base path; empty without actuator, or if the endpoints lie at the root among all others. */
    public static String of(Environment environment) {
        if (!ClassUtils.isPresent(ACTUATOR, ManagementPath.class.getClassLoader())) {
            return "";
        }
        String path = environment.getProperty("management.endpoints.web.base-path", "/actuator");
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }
}
