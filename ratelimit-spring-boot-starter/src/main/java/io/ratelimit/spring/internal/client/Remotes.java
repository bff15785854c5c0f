package io.ratelimit.spring.internal.client;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.internal.rule.Call;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.Expressions;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The partners that the application calls. A request belongs to the one that names its host most precisely. Thread-safe. */
public final class Remotes {

    private record Place(RemoteHost host, Remote remote) {}

    private final List<Remote> remotes;
    private final List<Place> places = new ArrayList<>();
    private final RateLimiter limiter;
    private final CallLimiter calls;
    private final Expressions expressions;

    public Remotes(List<Remote> remotes, RateLimiter limiter, CallLimiter calls, Expressions expressions) {
        this.remotes = List.copyOf(remotes);
        this.limiter = limiter;
        this.calls = calls;
        this.expressions = expressions;
        remotes.forEach(remote -> remote.hosts().forEach(host -> places.add(new Place(host, remote))));
        places.sort(
                Comparator.comparingInt((Place place) -> place.host.precision()).reversed());
    }

    /** Returns all of them. */
    public List<Remote> remotes() {
        return remotes;
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
        return new OutboundCall(remote, subject, limiter, calls);
    }
}
