package io.ratelimit.spring.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.regex.Pattern;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.ServletRequestPathUtils;

/** The path of a request as routes see it. */
final class RoutePath {

    /** The name under which Spring Boot registers the servlet of Spring MVC. */
    private static final String SPRING_MVC = "dispatcherServlet";

    private static final Pattern PARAMETERS = Pattern.compile(";[^/]*");
    private static final Pattern SLASHES = Pattern.compile("/{2,}");

    private RoutePath() {}

    /**
     * Below the context path; for Spring MVC below the path of its servlet, too, as its controllers' own are. Empty
     * segments are left out: who matches paths as Ant does finds {@code /api/x} for {@code //api/x}.
     *
     * @throws IllegalArgumentException if the path is malformed
     */
    static PathContainer of(HttpServletRequest request) {
        PathContainer path = SPRING_MVC.equals(request.getHttpServletMapping().getServletName())
                ? ServletRequestPathUtils.parse(request).pathWithinApplication()
                : RequestPath.parse(request.getRequestURI(), request.getContextPath())
                        .pathWithinApplication();
        String value = path.value();
        return value.contains("//") || value.contains("/;") ? PathContainer.parsePath(withoutEmpty(value)) : path;
    }

    private static String withoutEmpty(String path) {
        String segments = PARAMETERS.matcher(path).replaceAll("");
        return SLASHES.matcher(segments).replaceAll("/");
    }
}
