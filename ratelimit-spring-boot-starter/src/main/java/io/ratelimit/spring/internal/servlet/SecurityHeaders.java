package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.security.web.util.matcher.AnyRequestMatcher;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.handler.HandlerMappingIntrospector;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Gives a refusal the headers that Spring Security gives all other answers of the application, because it is written before
 * Spring Security, or in place of what that has answered. Those of CORS are for requests of another origin, as far as beans
 * have not given them. A class of its own, because Spring Security is optional. Thread-safe.
 */
final class SecurityHeaders {

    private static final Logger LOG = LoggerFactory.getLogger(SecurityHeaders.class);

    private final SingletonSupplier<List<SecurityFilterChain>> chains;
    private final ObjectProvider<HandlerMappingIntrospector> mvc;

    SecurityHeaders(ApplicationContext context) {
        this.mvc = context.getBeanProvider(HandlerMappingIntrospector.class);
        this.chains = SingletonSupplier.of(() -> context.getBeanProvider(SecurityFilterChain.class)
                .orderedStream()
                .toList());
    }

    /** Adds the headers that the response does not have yet. */
    void apply(HttpServletRequest request, HttpServletResponse response) throws IOException {
        for (Filter filter : filtersUnlessBroken(request)) {
            if (filter instanceof HeaderWriterFilter) {
                UnfilteredRequest.run(filter, request, response);
            } else if (filter instanceof CorsFilter
                    && ExposedHeaders.isFromAnotherOrigin(request)
                    && !RefusalCors.isAnswered(response)) {
                allowOrigin(filter, request, response);
            }
        }
    }

    /** Returns none if a chain cannot match the path, such as one that cannot be decoded, so that a refusal does not become a 500. */
    private List<Filter> filtersUnlessBroken(HttpServletRequest request) throws IOException {
        try {
            return filters(request);
        } catch (RuntimeException failed) {
            // without the message, which may quote the path
            LOG.debug(
                    "A refusal has no security headers, because their chain was not found: {}",
                    failed.getClass().getName());
            return List.of();
        }
    }

    /** Nearly all applications have one chain for all requests. */
    private List<Filter> filters(HttpServletRequest request) throws IOException {
        List<SecurityFilterChain> known = chains.obtain();
        if (known.isEmpty() || matchesAll(known.get(0))) {
            return known.isEmpty() ? List.of() : known.get(0).getFilters();
        }
        return withHandler(
                request,
                () -> known.stream()
                        .filter(chain -> chain.matches(request))
                        .findFirst()
                        .map(SecurityFilterChain::getFilters)
                        .orElse(List.of()));
    }

    /**
     * Looks for the handler once, as Spring Security does, because all that ask Spring MVC for it would look for it each and
     * warn of it.
     */
    private <T> T withHandler(HttpServletRequest request, Action<T> action) throws IOException {
        HandlerMappingIntrospector introspector = mvc.getIfUnique();
        if (introspector == null) {
            return action.run();
        }
        HandlerMappingIntrospector.CachedResult before = introspector.setCache(request);
        try {
            return action.run();
        } finally {
            introspector.resetCache(request, before);
        }
    }

    /** An origin that is not allowed gets the refusal, without CORS headers: what the filter answers is dropped. */
    private void allowOrigin(Filter cors, HttpServletRequest request, HttpServletResponse response) throws IOException {
        int status = response.getStatus();
        try {
            withHandler(request, () -> {
                UnfilteredRequest.run(cors, request, new ContentCachingResponseWrapper(response));
                return response;
            });
        } catch (RuntimeException failed) {
            LOG.debug(
                    "A refusal has no CORS headers, because their source failed: {}",
                    failed.getClass().getName());
        }
        response.setStatus(status);
    }

    private static boolean matchesAll(SecurityFilterChain chain) {
        return chain instanceof DefaultSecurityFilterChain known
                && known.getRequestMatcher() instanceof AnyRequestMatcher;
    }

    private interface Action<T> {
        T run() throws IOException;
    }
}
