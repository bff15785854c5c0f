package io.ratelimit.spring.internal.client;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.internal.rule.Call;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.Expressions;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.util.function.SingletonSupplier;

/**
 * The partners that the application calls. A request belongs to the one that names its host most precisely, and keeps its limits if they
 * are replaced meanwhile. Thread-safe.
 */
public final class Remotes {

    private record Place(RemoteHost host, Remote remote) {}

    private final SingletonSupplier<RateLimiter> limiter;
    private final SingletonSupplier<CallLimiter> calls;
    private final Expressions expressions;
    private volatile List<Place> places;

    /** Asks for {@code limiter} and {@code calls} at the first request: the beans that a limiter needs may have clients themselves. */
    public Remotes(
            List<Remote> remotes, Supplier<RateLimiter> limiter, Supplier<CallLimiter> calls, Expressions expressions) {
        this.limiter = SingletonSupplier.of(limiter);
        this.calls = SingletonSupplier.of(calls);
        this.expressions = expressions;
        this.places = places(remotes);
    }

    private static List<Place> places(List<Remote> remotes) {
        return remotes.stream()
                .flatMap(remote -> remote.hosts().stream().map(host -> new Place(host, remote)))
                .sorted(Comparator.comparingInt((Place place) -> place.host.precision())
                        .reversed())
                .toList();
    }

    /** Replaces all of them, for the requests that come from now on. */
    public void replaceBy(List<Remote> remotes) {
        places = places(remotes);
    }

    /** Returns a request to that URI; empty if nothing limits it. */
    Optional<OutboundCall> call(URI uri) {
        return RemoteHost.of(uri)
                .flatMap(host -> places.stream()
                        .filter(place -> place.host.includes(host))
                        .findFirst()
                        .map(place -> call(place.remote)));
    }

    private OutboundCall call(Remote remote) {
        String subject = remote.key().subject(new Call(null, () -> expressions.over(null)), () -> {});
        return new OutboundCall(remote, subject, limiter.obtain(), calls.obtain());
    }
}
