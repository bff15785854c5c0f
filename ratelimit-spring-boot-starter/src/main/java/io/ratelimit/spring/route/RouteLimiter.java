package io.ratelimit.spring.route;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.key.Call;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.rule.Rule;
import java.util.List;
import java.util.Optional;
import org.springframework.http.server.PathContainer;

/** Decides on requests by the routes that match them, all of which are one decision. Immutable and thread-safe. */
public final class RouteLimiter {

    private final Routes routes;
    private final RateLimiter limiter;
    private final Expressions expressions;

    public RouteLimiter(Routes routes, RateLimiter limiter, Expressions expressions) {
        this.routes = routes;
        this.limiter = limiter;
        this.expressions = expressions;
    }

    /**
     * Charges what the matching routes ask; empty if no route matches.
     *
     * @throws io.ratelimit.StoreUnavailableException if the store gave no answer
     * @throws io.ratelimit.CostExceedsCapacityException if the request costs more than a limit can ever admit
     */
    public Optional<Decision> decide(PathContainer path, RequestView request) {
        return asked(path, request).map(limiter::acquire);
    }

    private Optional<Acquisition> asked(PathContainer path, RequestView request) {
        List<Rule> rules = routes.matching(request.method(), path);
        return rules.isEmpty()
                ? Optional.empty()
                : Rule.acquisition(rules, new Call(request, () -> expressions.over(request)));
    }
}
