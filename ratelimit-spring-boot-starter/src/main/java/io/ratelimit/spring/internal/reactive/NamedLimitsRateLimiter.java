package io.ratelimit.spring.internal.reactive;

import io.ratelimit.Acquisition;
import io.ratelimit.Ban;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.NamedLimits;
import io.ratelimit.spring.internal.method.CallThreads;
import io.ratelimit.spring.internal.method.SubscribedRequest;
import io.ratelimit.spring.internal.rule.CallCharges;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.Cost;
import io.ratelimit.spring.internal.rule.LimitsUser;
import io.ratelimit.spring.internal.rule.OpenCall;
import io.ratelimit.spring.internal.web.ProblemResponse;
import java.util.List;
import java.util.Map;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;
import org.springframework.cloud.gateway.support.ConfigurationService;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Decides for the gateway's {@code RequestRateLimiter} by the limits that a route's arguments name. The gateway resolves
 * the key, and answers a refusal with its own status and no body; limits are shown by the same headers as everywhere.
 * Thread-safe.
 */
public final class NamedLimitsRateLimiter extends AbstractRateLimiter<NamedLimits> implements LimitsUser {

    private static final String ARGUMENTS = "ratelimit";

    private static final NamedLimits DEFAULT = new NamedLimits();

    private final CallLimiter limiter;
    private final Limits limits;

    /** @param configuration binds the arguments of routes */
    public NamedLimitsRateLimiter(CallLimiter limiter, Limits limits, ConfigurationService configuration) {
        super(NamedLimits.class, ARGUMENTS, configuration);
        this.limiter = limiter;
        this.limits = limits;
    }

    /**
     * Takes a route's arguments. Keeps those that the route had if it throws.
     *
     * @throws InvalidRateLimitException if they cannot work
     */
    @Override
    public void onApplicationEvent(FilterArgsEvent event) {
        String routeId = event.getRouteId();
        NamedLimits before = getConfig().get(routeId);
        super.onApplicationEvent(event);
        NamedLimits arguments = getConfig().get(routeId);
        if (arguments == null) {
            return;
        }
        try {
            check(arguments, routeId, limits);
        } catch (InvalidRateLimitException invalid) { // or else it would turn down each later refresh
            if (before == null) {
                getConfig().remove(routeId);
            } else {
                getConfig().put(routeId, before);
            }
            throw invalid;
        }
    }

    @Override
    public void check(Limits fresh) {
        getConfig().forEach((routeId, arguments) -> check(arguments, routeId, fresh));
    }

    /** Decides once for each subscriber. What is charged is given back if it cancels before. */
    @Override
    public Mono<Response> isAllowed(String routeId, String id) {
        return Mono.deferContextual(context -> Mono.fromFuture(limiter.decideAsync(
                        new CallCharges(acquisition(arguments(routeId), id)), new OpenCall(), CallThreads::handOver))
                .map(decision -> response(decision, context)));
    }

    private NamedLimits arguments(String routeId) {
        NamedLimits ofRoute = getConfig().get(routeId);
        return ofRoute != null
                ? ofRoute
                : getConfig().getOrDefault(RouteDefinitionRouteLocator.DEFAULT_FILTERS, DEFAULT);
    }

    private Acquisition acquisition(NamedLimits arguments, String id) {
        return new Acquisition(arguments.getLimits().stream()
                .map(name -> new Charge(limits.get(name), "value:" + id, arguments.getCost()))
                .toList());
    }

    private static Response response(Decision decision, ContextView context) {
        SubscribedRequest request = context.getOrDefault(SubscribedRequest.class, null);
        if (request != null) {
            request.response().accept(decision);
        }
        return new Response(
                decision.allowed(),
                decision.allowed()
                        ? Map.of()
                        : ProblemResponse.headers(
                                decision, seconds -> request == null ? seconds : request.told(seconds)));
    }

    private static void check(NamedLimits arguments, String routeId, Limits limits) {
        String where = "route '%s', RequestRateLimiter, %s".formatted(routeId, ARGUMENTS);
        if (arguments.getLimits().isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.ROUTE_WITHOUT_LIMITS, where + ".limits", "no limits: name some of " + limits.names());
        }
        try {
            List<Limit> known = arguments.getLimits().stream().map(limits::get).toList();
            known.forEach(limit -> checkCountsCalls(limit, where));
            Cost.fixed(arguments.getCost(), known, where);
        } catch (InvalidRateLimitException invalid) {
            throw invalid;
        } catch (IllegalArgumentException unknown) {
            throw new InvalidRateLimitException(
                    MessageCode.LIMIT_UNKNOWN, where + ".limits", unknown.getMessage(), unknown);
        }
    }

    /** The gateway does not say when a call ends. */
    private static void checkCountsCalls(Limit limit, String where) {
        if (limit.algorithm().isReleased() || limit.algorithm().countsElements()) {
            throw new InvalidRateLimitException(
                    MessageCode.ALGORITHM_INVALID,
                    where + ".limits",
                    "limit '%s' of %s is not supported here: write a route below rate-limiter.routes for it"
                            .formatted(limit.name(), limit.algorithm().label()));
        }
        if (limit.ban().filter(Ban::countsFailures).isPresent()) {
            throw new InvalidRateLimitException(
                    MessageCode.ALGORITHM_INVALID,
                    where + ".limits",
                    "limit '%s' has a ban that counts failures, of which none is known here: write a route below rate-limiter.routes for it"
                            .formatted(limit.name()));
        }
    }
}
