package io.ratelimit.spring.servlet;

import io.ratelimit.Acquisition;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.http.ProblemResponse;
import io.ratelimit.spring.http.RateLimitHeaders;
import io.ratelimit.spring.http.Routes;
import io.ratelimit.spring.key.Call;
import io.ratelimit.spring.key.ClientAddresses;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.rule.Rule;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Limits requests by the configured routes. All routes that match are one decision. Dispatches after the first, and
 * CORS preflights, are not counted. Thread-safe.
 */
public final class RateLimitFilter extends OncePerRequestFilter {

    private final String name;
    private final Routes routes;
    private final RateLimiter limiter;
    private final RateLimitHeaders headers;
    private final ClientAddresses addresses;
    private final Expressions expressions;

    /**
     * Limits by these routes.
     *
     * @param name tells several of these filters apart
     */
    public RateLimitFilter(
            String name,
            Routes routes,
            RateLimiter limiter,
            RateLimitHeaders headers,
            ClientAddresses addresses,
            Expressions expressions) {
        this.name = name;
        this.routes = routes;
        this.limiter = limiter;
        this.headers = headers;
        this.addresses = addresses;
        this.expressions = expressions;
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
        ProblemResponse problem = refusal(request, response);
        if (problem == null) {
            chain.doFilter(request, response);
        } else {
            ServletExchange.write(problem, response);
        }
    }

    private @Nullable ProblemResponse refusal(HttpServletRequest request, HttpServletResponse response) {
        PathContainer path;
        try {
            path = RoutePath.of(request);
        } catch (IllegalArgumentException malformed) { // an escape that the server let pass, such as in /a;b=%zz
            return ProblemResponse.badPath();
        }
        List<Rule> rules = routes.matching(request.getMethod(), path);
        if (rules.isEmpty()) {
            return null;
        }
        try {
            RequestView view = new ServletRequestView(request, addresses);
            Optional<Acquisition> asked = Rule.acquisition(rules, new Call(view, () -> expressions.over(view)));
            return asked.isEmpty() ? null : refusal(limiter.acquire(asked.get()), request, response);
        } catch (StoreUnavailableException unavailable) {
            return ProblemResponse.temporaryReducedCapacity();
        } catch (CostExceedsCapacityException tooMuch) {
            return ProblemResponse.costExceedsCapacity(tooMuch);
        }
    }

    private @Nullable ProblemResponse refusal(
            Decision decision, HttpServletRequest request, HttpServletResponse response) {
        ServletExchange.writeHeaders(headers, decision, request, response);
        return decision.allowed() ? null : ProblemResponse.quotaExceeded(decision);
    }
}
