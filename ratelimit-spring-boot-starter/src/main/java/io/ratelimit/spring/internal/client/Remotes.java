package io.ratelimit.spring.internal.client;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.LateBean;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.rule.Call;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.SubjectKey;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.BeansException;

/**
 * The partners that the application calls. A request belongs to the one that names its host most precisely, and keeps its limits if they
 * are replaced meanwhile. Thread-safe.
 */
public final class Remotes {

    /** The key that the thread asks now. */
    private static final ThreadLocal<SubjectKey> ASKED = new ThreadLocal<>();

    private record Place(RemoteHost host, Remote remote) {}

    private record Limiters(RateLimiter limiter, CallLimiter calls) {}

    private final LateBean<Limiters> limiters;
    private final Expressions expressions;
    private final Warning withoutHost = new Warning(MessageCode.CLIENT_URL_WITHOUT_HOST);
    private volatile List<Place> places;

    /**
     * Asks for {@code limiter} and {@code calls} at once, so that both are made before the beans that have clients and closed after them.
     * A bean that the limiter needs may have a client itself, and be what is made now: then both are asked for at the first request.
     *
     * @throws BeansException if the limiter cannot be made
     */
    public Remotes(
            List<Remote> remotes, Supplier<RateLimiter> limiter, Supplier<CallLimiter> calls, Expressions expressions) {
        this.limiters = new LateBean<>(() -> new Limiters(limiter.get(), calls.get()));
        this.expressions = expressions;
        this.places = places(remotes);
        limiters.ask();
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

    /** Returns a request to that URI; empty if nothing limits it, and with a warning if it does not say where it goes. */
    Optional<OutboundCall> call(URI uri) {
        if (uri.getRawAuthority() == null) {
            withoutHost.logOnce(
                    "A request of a client is not limited, because its URL names no host until something behind the"
                            + " limits adds it: give the base URL to Spring's builder, or put what adds the host before the limits");
        }
        return RemoteHost.of(uri)
                .flatMap(host -> places.stream()
                        .filter(place -> place.host.includes(host))
                        .findFirst()
                        .map(place -> call(place.remote)));
    }

    private OutboundCall call(Remote remote) {
        String subject = subject(remote.key());
        Limiters known = limiters.get();
        return new OutboundCall(remote, subject, known.limiter, known.calls);
    }

    /** Returns whose quota it is: everybody's for a request that the key itself sends, such as for a token, which would ask it again. */
    private String subject(SubjectKey key) {
        if (ASKED.get() != null) {
            return SubjectKey.EVERYBODY;
        }
        ASKED.set(key);
        try {
            return key.subject(new Call(null, () -> expressions.over(null)), () -> {});
        } finally {
            ASKED.remove();
        }
    }
}
