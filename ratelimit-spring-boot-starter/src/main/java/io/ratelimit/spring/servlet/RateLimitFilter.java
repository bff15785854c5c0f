package io.ratelimit.spring.servlet;

import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.http.ProblemResponse;
import io.ratelimit.spring.http.RateLimitHeaders;
import io.ratelimit.spring.key.ClientAddresses;
import io.ratelimit.spring.route.RouteLimiter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.OncePerRequestFilter;

/** Limits requests by the configured routes. Dispatches after the first, and CORS preflights, are not counted. Thread-safe. */
public final class RateLimitFilter extends OncePerRequestFilter {

    private final String name;
    private final RouteLimiter routes;
    private final RateLimitHeaders headers;
    private final ClientAddresses addresses;
    private final RefusalWriter refusals;

    /**
     * Limits by these routes.
     *
     * @param name tells several of these filters apart
     */
    public RateLimitFilter(
            String name,
            RouteLimiter routes,
            RateLimitHeaders headers,
            ClientAddresses addresses,
            RefusalWriter refusals) {
        this.name = name;
        this.routes = routes;
        this.headers = headers;
        this.addresses = addresses;
        this.refusals = refusals;
    }

    @Override
    protected String getAlreadyFilteredAttributeName() {
        return RateLimitFilter.class.getName() + "." + name;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return CorsUtils.isPreFlightRequest(request);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        PathContainer path;
        try {
            path = RoutePath.of(request);
        } catch (IllegalArgumentException malformed) { // an escape that the server let pass, such as in /a;b=%zz
            refusals.write(ProblemResponse.badPath(), response);
            return;
        }
        try {
            decide(path, request, response);
        } catch (RateLimitExceededException | StoreUnavailableException | CostExceedsCapacityException refusal) {
            refusals.write(refusal, response);
            return;
        }
        chain.doFilter(request, response);
    }

    private void decide(PathContainer path, HttpServletRequest request, HttpServletResponse response) {
        Decision decision =
                routes.decide(path, new ServletRequestView(request, addresses)).orElse(null);
        if (decision != null) {
            ServletExchange.writeHeaders(headers, decision, request, response);
            if (!decision.allowed()) {
                throw new RateLimitExceededException(decision);
            }
        }
    }
}
