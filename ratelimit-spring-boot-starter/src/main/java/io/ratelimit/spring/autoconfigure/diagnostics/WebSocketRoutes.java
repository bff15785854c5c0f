package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.internal.rule.RouteLimiter;
import io.ratelimit.spring.internal.rule.Routes.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.context.ApplicationContext;
import org.springframework.http.server.PathContainer;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;

/**
 * Finds routes that count calls in flight at the path of a WebSocket, whose request ends with the handshake, so that they would
 * admit any number of sessions.
 */
final class WebSocketRoutes {

    private final ApplicationContext context;

    WebSocketRoutes(ApplicationContext context) {
        this.context = context;
    }

    List<String> findings() {
        List<String> findings = new ArrayList<>();
        context.getBeanProvider(RouteLimiter.class)
                .forEach(routes -> webSockets()
                        .forEach(url -> routes
                                .matching("GET", List.of(PathContainer.parsePath(url.replace("/**", "/0/0/websocket"))))
                                .stream()
                                .map(Route.Match::route)
                                .filter(WebSocketRoutes::countsInFlight)
                                .forEach(route -> findings.add(finding(route, url)))));
        return findings;
    }

    private List<String> webSockets() {
        List<String> urls = new ArrayList<>();
        if (ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet", context.getClassLoader())) {
            urls.addAll(OfMvc.urls(context));
        }
        if (ClassUtils.isPresent("org.springframework.web.reactive.DispatcherHandler", context.getClassLoader())) {
            urls.addAll(OfWebFlux.urls(context));
        }
        return urls;
    }

    private static boolean countsInFlight(Route route) {
        return route.rules().stream()
                .flatMap(rule -> rule.limits().stream())
                .anyMatch(limit -> limit.algorithm().isReleased());
    }

    private static String finding(Route route, String url) {
        return ("route '%s' counts calls in flight, and '%s' is a WebSocket, whose request ends with its handshake, so that any"
                        + " number of sessions would be admitted: write '%s' in its exclude, and limit handshakes by another"
                        + " algorithm")
                .formatted(route.name(), url, url);
    }

    /** A class of its own, because Spring MVC is optional. */
    private static final class OfMvc {

        /** By name, because the library of WebSockets is optional, and nothing else of it is needed. */
        private static final Set<String> HANDLERS = Set.of(
                "org.springframework.web.socket.server.support.WebSocketHttpRequestHandler",
                "org.springframework.web.socket.sockjs.support.SockJsHttpRequestHandler");

        static List<String> urls(ApplicationContext context) {
            return context.getBeanProvider(AbstractUrlHandlerMapping.class).stream()
                    .flatMap(mapping -> mapping.getHandlerMap().entrySet().stream())
                    .filter(mapped -> isWebSocket(mapped.getValue(), context))
                    .map(Map.Entry::getKey)
                    .toList();
        }

        /** A mapping may hold the name of a bean that is made on first use. */
        private static boolean isWebSocket(Object handler, ApplicationContext context) {
            Class<?> type = handler instanceof String bean ? context.getType(bean) : handler.getClass();
            return type != null && HANDLERS.contains(type.getName());
        }
    }

    /** A class of its own, because WebFlux is optional. */
    private static final class OfWebFlux {

        static List<String> urls(ApplicationContext context) {
            return context
                    .getBeanProvider(org.springframework.web.reactive.handler.AbstractUrlHandlerMapping.class)
                    .stream()
                    .flatMap(mapping -> mapping.getHandlerMap().entrySet().stream())
                    .filter(mapped -> mapped.getValue() instanceof WebSocketHandler)
                    .map(mapped -> mapped.getKey().getPatternString())
                    .toList();
        }
    }
}
