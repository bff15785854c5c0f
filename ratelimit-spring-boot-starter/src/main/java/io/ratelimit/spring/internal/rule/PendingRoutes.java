package io.ratelimit.spring.internal.rule;

import io.ratelimit.Charge;
import io.ratelimit.spring.internal.rule.Routes.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The routes that match one request and have not decided on it yet. Each decides once, wherever the request first
 * matches it: as it was sent, as a filter rewrote it, or as it was forwarded. Not thread-safe.
 */
public final class PendingRoutes {

    private final List<Route.Match> pending = new ArrayList<>(1);
    private final List<Route.Match> decided = new ArrayList<>(1);
    private final List<Charge> charged = new ArrayList<>(0);
    private volatile List<OpenCall> leftOpen = List.of();
    private boolean hasBegun;
    private @Nullable String withoutPrincipal;
    private String method = "";
    private Object target = "";

    /**
     * Adds the routes that match the new method and target, but for those that have matched before.
     *
     * @param newTarget all that the path depends on: as sent, and below which context path
     * @param matching is called only if the target has changed
     */
    public void moveTo(String newMethod, Object newTarget, Supplier<List<Route.Match>> matching) {
        if (newTarget.equals(target) && newMethod.equals(method)) {
            return;
        }
        target = newTarget;
        method = newMethod;
        for (Route.Match match : matching.get()) {
            if (!holds(pending, match.route()) && !holds(decided, match.route())) {
                pending.add(match);
            }
        }
    }

    /**
     * Looks for its name, because the configuration may be read again while a request is on its way. A route may be named as the
     * guard is.
     */
    private static boolean holds(List<Route.Match> matches, Route route) {
        for (Route.Match match : matches) {
            if (match.route().name().equals(route.name()) && match.route().isGuard() == route.isGuard()) {
                return true;
            }
        }
        return false;
    }

    /** The request, or a forward of it, is refused: the routes that would have decided later do not charge it. */
    public void refused() {
        pending.clear();
    }

    /**
     * True to the first filter that begins, which ends what those behind it leave open, until it calls {@link #ended}. It may have
     * nothing to end itself: those behind it may see another path.
     */
    public boolean begins() {
        boolean first = !hasBegun;
        hasBegun = true;
        return first;
    }

    /** The first filter has ended. */
    public void ended() {
        hasBegun = false;
    }

    /** Keeps a call open that a filter leaves to the asynchronous processing of the request, or to a filter before it. */
    public void leaveOpen(OpenCall call) {
        leftOpen = Stream.concat(leftOpen.stream(), Stream.of(call)).toList();
    }

    /** Closes a call, and those that were left open until now. May be called by any thread. */
    public void close(OpenCall call, Ending ending) {
        call.close(ending);
        leftOpen.forEach(left -> left.close(ending));
    }

    /** Does the same where only the last byte of the response is missing. May be called by any thread. */
    public void closeWithResponse(OpenCall call, Ending ending) {
        call.closeWithResponse(ending);
        leftOpen.forEach(left -> left.closeWithResponse(ending));
    }

    /** Gives back the slots of a call, and of those that were left open, and leaves all else to their end. */
    public void freeSlots(OpenCall call) {
        call.freeSlots();
        leftOpen.forEach(OpenCall::freeSlots);
    }

    /** Closes what was left open for good. */
    public void closeLeft(Ending ending) {
        leftOpen.forEach(call -> call.close(ending));
        leftOpen = List.of();
    }

    public boolean isEmpty() {
        return pending.isEmpty();
    }

    /** True if something is settled when the request ends, if the pending routes admit it. */
    public boolean areSettledLater() {
        return !leftOpen.isEmpty() || endLater(pending);
    }

    /** True if something is settled when the request ends that routes have decided. */
    public boolean settlesDecided() {
        return endLater(decided);
    }

    private static boolean endLater(List<Route.Match> matches) {
        for (Route.Match match : matches) {
            if (match.route().endsLater()) {
                return true;
            }
        }
        return false;
    }

    /** The most specific pattern of the routes that have decided; empty if none has. */
    public Optional<String> decidedPattern() {
        return decided.stream().map(Route.Match::pattern).sorted().findFirst().map(PathPattern::getPatternString);
    }

    /** Keeps what is charged while other routes stay pending, for when they count the address. */
    void charged(Stream<Charge> charges) {
        charges.forEach(charged::add);
    }

    /** Returns what was charged before. */
    Stream<Charge> charged() {
        return charged.stream();
    }

    /** Keeps the first route that asked for the principal of a request that had none. */
    void foundNoPrincipal(Route route) {
        if (withoutPrincipal == null) {
            withoutPrincipal = route.name();
        }
    }

    /** Returns the name of that route; null if there is none. */
    @Nullable
    String withoutPrincipal() {
        return withoutPrincipal;
    }

    List<Route.Match> matches() {
        return List.copyOf(pending);
    }

    void decided(Route.Match match) {
        pending.remove(match);
        decided.add(match);
    }
}
