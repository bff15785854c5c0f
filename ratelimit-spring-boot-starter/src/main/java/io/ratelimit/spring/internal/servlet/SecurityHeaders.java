package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.security.web.util.matcher.AnyRequestMatcher;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.handler.HandlerMappingIntrospector;

/**
 * Gives a refusal the headers that Spring Security gives all other answers of the application, because it is written before
 * Spring Security, or in place of what that has answered. A class of its own, because Spring Security is optional.
 * Thread-safe.
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
        HeaderWriterFilter filter = filterUnlessBroken(request);
        if (filter != null) {
            try {
                filter.doFilter(new Unfiltered(request), response, (passedRequest, passedResponse) -> {});
            } catch (ServletException failed) {
                throw new IOException("the headers of Spring Security could not be written", failed);
            }
        }
    }

    /** Returns null if a chain cannot match the path, such as one that cannot be decoded, so that a refusal does not become a 500. */
    private @Nullable HeaderWriterFilter filterUnlessBroken(HttpServletRequest request) {
        try {
            return filter(chain(request));
        } catch (RuntimeException failed) {
            // without the message, which may quote the path
            LOG.debug(
                    "A refusal has no security headers, because their chain was not found: {}",
                    failed.getClass().getName());
            return null;
        }
    }

    /**
     * Looks for the handler once, as Spring Security does, because chains that match as Spring MVC would look for it each and
     * warn of it. Nearly all applications have one chain for all requests.
     */
    private @Nullable SecurityFilterChain chain(HttpServletRequest request) {
        SecurityFilterChain first =
                chains.obtain().isEmpty() ? null : chains.obtain().get(0);
        if (first == null || matchesAll(first)) {
            return first;
        }
        HandlerMappingIntrospector introspector = mvc.getIfUnique();
        if (introspector == null) {
            return matching(request);
        }
        HandlerMappingIntrospector.CachedResult before = introspector.setCache(request);
        try {
            return matching(request);
        } finally {
            introspector.resetCache(request, before);
        }
    }

    private @Nullable SecurityFilterChain matching(HttpServletRequest request) {
        return chains.obtain().stream()
                .filter(chain -> chain.matches(request))
                .findFirst()
                .orElse(null);
    }

    private static boolean matchesAll(SecurityFilterChain chain) {
        return chain instanceof DefaultSecurityFilterChain known
                && known.getRequestMatcher() instanceof AnyRequestMatcher;
    }

    private static @Nullable HeaderWriterFilter filter(@Nullable SecurityFilterChain chain) {
        return chain == null
                ? null
                : chain.getFilters().stream()
                        .filter(HeaderWriterFilter.class::isInstance)
                        .map(HeaderWriterFilter.class::cast)
                        .findFirst()
                        .orElse(null);
    }

    /** A request that no filter has seen: the one in the chain has seen it, but what it wrote is discarded. */
    private static final class Unfiltered extends HttpServletRequestWrapper {

        Unfiltered(HttpServletRequest request) {
            super(request);
        }

        @Override
        public @Nullable Object getAttribute(String name) {
            return isMark(name) ? null : super.getAttribute(name);
        }

        @Override
        public void setAttribute(String name, @Nullable Object value) {
            if (!isMark(name)) {
                super.setAttribute(name, value);
            }
        }

        @Override
        public void removeAttribute(String name) {
            if (!isMark(name)) {
                super.removeAttribute(name);
            }
        }

        private static boolean isMark(String name) {
            return name.endsWith(OncePerRequestFilter.ALREADY_FILTERED_SUFFIX);
        }
    }
}
