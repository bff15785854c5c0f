package io.ratelimit.spring.internal.rule;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.rule.Routes.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.springframework.http.server.PathContainer;

/** Decides on requests by the routes that match them, all of which are one decision. Thread-safe. */
public final class RouteLimiter {

    /** The place of a request on its way through the application. */
    public enum Stage {
        /** The principal is not known yet: routes whose key needs it stay pending. */
        BEFORE_AUTHENTICATION,
        /** The principal is known, if the request has one. */
        AUTHENTICATED,
        /** The same, and no filter follows. */
        END_OF_CHAIN,
        /** It was answered before it was authenticated: the pending routes count it by address, each limit once. */
        TURNED_AWAY
    }

    private final Supplier<Routes> routes;
    private final CallLimiter limiter;
    private final Expressions expressions;
    private final Supplier<Stage> firstStage;
    private final LatePrincipal latePrincipal = new LatePrincipal();

    /**
     * @param routes is called for every request
     * @param firstStage where a request is decided on first: after authentication if nothing authenticates it later
     */
    public RouteLimiter(
            Supplier<Routes> routes, CallLimiter limiter, Expressions expressions, Supplier<Stage> firstStage) {
        this.routes = routes;
        this.limiter = limiter;
        this.expressions = expressions;
        this.firstStage = firstStage;
    }

    /** Returns the stage at which a request is decided on first. */
    public Stage firstStage() {
        return firstStage.get();
    }

    /** Returns what watches for principals that are known too late. */
    public LatePrincipal latePrincipal() {
        return latePrincipal;
    }

    /**
     * Returns the routes that match.
     *
     * @param paths what the application may take for the request's path
     */
    public List<Route.Match> matching(String method, List<PathContainer> paths) {
        return routes.get().matching(method, paths);
    }

    /**
     * Decides by the pending routes that can decide at this stage, and removes them; empty if they charge nothing.
     *
     * @param call is settled when it is closed
     * @throws io.ratelimit.StoreUnavailableException if the store gave no answer
     * @throws RequestDeniedException if a route's or the application's {@code deny} lists the request
     * @throws io.ratelimit.CostExceedsCapacityException if the request costs more than a limit can ever admit
     */
    public Optional<Decision> decide(PendingRoutes pending, RequestView request, Stage stage, OpenCall call) {
        return charges(pending, request, stage).map(charges -> limiter.decide(charges, call));
    }

    /**
     * The same without blocking. What is charged is given back if the returned future is cancelled first.
     *
     * @param handOver moves the decision to the thread that goes on with the request
     * @throws RequestDeniedException if a route's or the application's {@code deny} lists the request
     * @throws io.ratelimit.CostExceedsCapacityException if the request costs more than a limit can ever admit
     */
    public Optional<CompletableFuture<Decision>> decideAsync(
            PendingRoutes pending,
            RequestView request,
            Stage stage,
            OpenCall call,
            UnaryOperator<CompletionStage<Decision>> handOver) {
        return charges(pending, request, stage).map(charges -> limiter.decideAsync(charges, call, handOver));
    }

    private Optional<CallCharges> charges(PendingRoutes pending, RequestView request, Stage stage) {
        if (pending.isEmpty()) {
            return Optional.empty();
        }
        checkNotDenied(pending, request, stage);
        List<CallCharges> charges = new ArrayList<>();
        try {
            addTo(charges, pending, request, stage);
            if (!pending.isEmpty()) {
                pending.charged(chargesOf(charges));
            }
            return CallCharges.together(charges);
        } catch (RuntimeException failed) {
            decideNothing(pending);
            throw failed;
        }
    }

    private void addTo(List<CallCharges> charges, PendingRoutes pending, RequestView request, Stage stage) {
        for (Route.Match match : pending.matches()) {
            Route route = match.route();
            if (stage != Stage.BEFORE_AUTHENTICATION) {
                pending.decided(match);
                if (stage == Stage.AUTHENTICATED && route.needsPrincipal() && request.principal() == null) {
                    pending.foundNoPrincipal(route);
                }
                List<Rule> rules = stage == Stage.TURNED_AWAY
                        ? Rule.byAddress(
                                route.rules(), limits(Stream.concat(pending.charged(), chargesOf(charges)), request))
                        : route.rules();
                charges(rules, match, request).ifPresent(charges::add);
            } else {
                addEarly(match, pending, request, charges);
            }
        }
    }

    private static Stream<Charge> chargesOf(List<CallCharges> charges) {
        return charges.stream().flatMap(one -> one.acquisition().charges().stream());
    }

    /** Returns the limits that have charged the client's address. */
    private static List<Limit> limits(Stream<Charge> charges, RequestView request) {
        String address = SubjectKey.addressOf(request);
        return charges.filter(charge -> charge.subject().equals(address))
                .map(Charge::limit)
                .toList();
    }

    /** Of a request that is answered instead, none of the routes counts it or answers it later. */
    private static void decideNothing(PendingRoutes pending) {
        pending.matches().forEach(pending::decided);
    }

    /** A request that is turned away is not denied any more: all that is known of it was known before. */
    private static void checkNotDenied(PendingRoutes pending, RequestView request, Stage stage) {
        if (stage == Stage.TURNED_AWAY) {
            return;
        }
        for (Route.Match match : pending.matches()) {
            AccessList deny = match.route().deny();
            if (stage == Stage.BEFORE_AUTHENTICATION
                    ? deny.listsAnybody(request)
                    : match.route().denies(request)) {
                decideNothing(pending);
                deny.report();
                throw new RequestDeniedException();
            }
        }
    }

    private Optional<CallCharges> charges(List<Rule> rules, Route.Match match, RequestView request) {
        return Rule.charges(rules, new Call(request, () -> expressions.over(request), match::variable));
    }

    /** Leaves a route pending that needs the principal, which is often known only when its key or condition is evaluated. */
    private void addEarly(Route.Match match, PendingRoutes pending, RequestView request, List<CallCharges> charges) {
        if (match.route().needsPrincipal()) {
            return;
        }
        BeforeAuthentication view = new BeforeAuthentication(request);
        Optional<CallCharges> early = chargesIfKnown(match, view);
        if (!view.principalWasRead()) {
            view.decided();
            pending.decided(match);
            early.ifPresent(charges::add);
        }
    }

    private Optional<CallCharges> chargesIfKnown(Route.Match match, BeforeAuthentication view) {
        try {
            return charges(match.route().rules(), match, view);
        } catch (NotKnownException early) {
            return Optional.empty();
        }
    }
}
