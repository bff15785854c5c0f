package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.handler.HandlerMappingIntrospector;

/**
 * Gives a refusal the CORS headers that the application would have given its answer, so that scripts can read it. Where beans
 * configure CORS, a request of the same origin gets their {@code Vary}, too; controllers are not asked for it, because that
 * takes longer than the refusal. Thread-safe.
 */
final class RefusalCors {

    private static final Logger LOG = LoggerFactory.getLogger(RefusalCors.class);

    private final SingletonSupplier<List<CorsConfigurationSource>> sources;
    private final SingletonSupplier<List<CorsFilter>> filters;
    private final DefaultCorsProcessor processor = new DefaultCorsProcessor() {
        @Override
        protected void rejectRequest(ServerHttpResponse response) {
            // an origin that is not allowed gets the refusal, without CORS headers
        }
    };

    RefusalCors(ApplicationContext context) {
        this.sources = SingletonSupplier.of(() -> context.getBeanProvider(CorsConfigurationSource.class)
                .orderedStream()
                .toList());
        this.filters = SingletonSupplier.of(() -> filters(context));
    }

    void apply(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean fromAnotherOrigin;
        try {
            fromAnotherOrigin = CorsUtils.isCorsRequest(request);
        } catch (IllegalArgumentException malformed) {
            return; // an Origin that is not a URL, which a CorsFilter would answer with 403
        }
        if (!isAnswered(response)) {
            CorsConfiguration configuration = configuration(request, fromAnotherOrigin);
            if (configuration != null) {
                processor.processRequest(configuration, request, response);
            }
        }
        for (CorsFilter filter : filters.obtain()) {
            if (!isAnswered(response) && !response.isCommitted()) {
                UnfilteredRequest.run(filter, request, response);
            }
        }
        if (fromAnotherOrigin) {
            ExposedHeaders.ofRefusal(response);
        }
    }

    static boolean isAnswered(HttpServletResponse response) {
        return response.containsHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN);
    }

    private @Nullable CorsConfiguration configuration(HttpServletRequest request, boolean ofControllers) {
        return sources.obtain().stream()
                .filter(source -> ofControllers || !(source instanceof HandlerMappingIntrospector))
                .map(source -> configurationUnlessBroken(source, request))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns null if the source fails, as Spring MVC's does for a path that cannot be decoded, so that a refusal does
     * not become a 500.
     */
    private static @Nullable CorsConfiguration configurationUnlessBroken(
            CorsConfigurationSource source, HttpServletRequest request) {
        try {
            return configuration(source, request);
        } catch (RuntimeException failed) {
            // without the message, which may quote the path
            LOG.debug(
                    "A refusal has no CORS headers, because their source failed: {}",
                    failed.getClass().getName());
            return null;
        }
    }

    private static @Nullable CorsConfiguration configuration(
            CorsConfigurationSource source, HttpServletRequest request) {
        if (!(source instanceof HandlerMappingIntrospector introspector)) {
            return source.getCorsConfiguration(request);
        }
        HandlerMappingIntrospector.CachedResult before = introspector.setCache(request);
        try {
            return introspector.getCorsConfiguration(request);
        } finally {
            introspector.resetCache(request, before);
        }
    }

    /** Returns all of them. What one in front of the refusing filter has written may be discarded. */
    private static List<CorsFilter> filters(ApplicationContext context) {
        Stream<CorsFilter> registered = context.<FilterRegistrationBean<?>>getBeanProvider(
                        ResolvableType.forClass(FilterRegistrationBean.class))
                .orderedStream()
                .map(FilterRegistrationBean::getFilter)
                .filter(CorsFilter.class::isInstance)
                .map(CorsFilter.class::cast);
        return Stream.concat(context.getBeanProvider(CorsFilter.class).orderedStream(), registered)
                .toList();
    }
}
