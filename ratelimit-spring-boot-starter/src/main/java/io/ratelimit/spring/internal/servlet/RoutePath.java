package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.web.RequestPaths;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.ServletRequestPathUtils;

/** The path of a request as routes see it. */
final class RoutePath {

    /** The name under which Spring Boot registers the servlet of Spring MVC. */
    private static final String SPRING_MVC = "dispatcherServlet";

    private static final Map<String, Boolean> DISPATCHERS = new ConcurrentHashMap<>();

    private static final Pattern PARAMETERS = Pattern.compile(";[^/]*");

    private RoutePath() {}

    /**
     * Returns what the application may take for the request's path, all of it below the context path. One is the path by which
     * the server found the servlet: decoded, normalised, and without parameters. Spring MVC matches its controllers with
     * the path as sent, and serves static files and Ant patterns by something in between, so both count for it; they
     * begin below the path of its servlet, as its controllers' own do.
     *
     * @throws IllegalArgumentException if Spring MVC cannot read the path either
     */
    static List<PathContainer> of(HttpServletRequest request) {
        HttpServletMapping mapping = request.getHttpServletMapping();
        boolean mvc = isSpringMvc(mapping);
        String info = request.getPathInfo() == null ? "" : request.getPathInfo();
        boolean below = mvc && mapping.getMappingMatch() == MappingMatch.PATH;
        String served = below ? info : request.getServletPath() + info;
        return mvc
                ? ofSpringMvc(request, served)
                : RequestPaths.ofServlet(belowContextPath(request), served, isDispatcher(request, mapping));
    }

    private static List<PathContainer> ofSpringMvc(HttpServletRequest request, String served) {
        List<PathContainer> paths = RequestPaths.of(asSent(request), served);
        return RequestPaths.isUnequivocal(request.getRequestURI())
                ? paths
                : MvcPatterns.antPath(request)
                        .map(path -> RequestPaths.withFirst(path, paths))
                        .orElse(paths);
    }

    /** Returns all of a request that its path depends on, and that a filter may change. */
    static List<@Nullable String> target(HttpServletRequest request) {
        return Arrays.asList(
                request.getRequestURI(), request.getContextPath(), request.getServletPath(), request.getPathInfo());
    }

    /** MockMvc names no servlet: all that it serves is Spring MVC's. */
    static boolean isSpringMvc(HttpServletRequest request) {
        return isSpringMvc(request.getHttpServletMapping());
    }

    private static boolean isSpringMvc(HttpServletMapping mapping) {
        String servlet = mapping.getServletName();
        return SPRING_MVC.equals(servlet) || !StringUtils.hasLength(servlet);
    }

    /** True of a second servlet of Spring MVC's. */
    private static boolean isDispatcher(HttpServletRequest request, HttpServletMapping mapping) {
        ServletRegistration servlet = request.getServletContext().getServletRegistration(mapping.getServletName());
        return servlet != null
                && servlet.getClassName() != null
                && DISPATCHERS.computeIfAbsent(servlet.getClassName(), RoutePath::isDispatcher);
    }

    private static boolean isDispatcher(String type) {
        try {
            return DispatcherServlet.class.isAssignableFrom(
                    ClassUtils.forName(type, ClassUtils.getDefaultClassLoader()));
        } catch (ClassNotFoundException | LinkageError unknown) {
            return false;
        }
    }

    /** Returns the path as sent, without parameters, which other servlets need not be able to read. */
    private static PathContainer belowContextPath(HttpServletRequest request) {
        String uri = request.getRequestURI();
        String contextPath = request.getContextPath();
        String path = uri.startsWith(contextPath) ? uri.substring(contextPath.length()) : uri;
        return PathContainer.parsePath(PARAMETERS.matcher(path).replaceAll(""));
    }

    private static PathContainer asSent(HttpServletRequest request) {
        try {
            return ServletRequestPathUtils.parse(request).pathWithinApplication();
        } catch (IllegalStateException outside) { // dot segments in front of the servlet's path
            throw new IllegalArgumentException("the path does not begin with the servlet's", outside);
        }
    }
}
