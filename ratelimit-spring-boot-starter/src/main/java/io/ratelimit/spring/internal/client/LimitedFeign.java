package io.ratelimit.spring.internal.client;

import feign.Capability;
import feign.Client;
import feign.Request;
import feign.Response;
import io.ratelimit.Decision;
import io.ratelimit.spring.internal.LateBean;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.http.HttpHeaders;

/**
 * Limits the requests of Feign clients, before they take a connection: each attempt of a {@code Retryer}, with the host that
 * the URL names, which is that of a service where a load balancer chooses its instance. A thread whose request waits for
 * quota is blocked, as it is for the response. Feign calls {@link #enrich} by reflection. Thread-safe.
 */
public final class LimitedFeign implements Capability, SmartInitializingSingleton {

    /** Without what comes after the host, where Feign lets stand what is no URI. */
    private static final Pattern ORIGIN = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*");

    private final LateBean<Remotes> remotes;

    /** Feign looks its capabilities up in a way that leaves out what is being made, and goes on without: so this one needs nothing. */
    public LimitedFeign(ObjectProvider<Remotes> remotes) {
        this.remotes = new LateBean<>(remotes::getObject);
    }

    /** Makes the partners even if no client is built yet, so that what is wrong with them stops the start. */
    @Override
    public void afterSingletonsInstantiated() {
        remotes.get();
    }

    @Override
    public Client enrich(Client client) {
        remotes.ask();
        return (request, options) -> execute(request, options, client);
    }

    private Response execute(Request request, Request.Options options, Client client) throws IOException {
        Matcher origin = ORIGIN.matcher(request.url());
        Optional<OutboundCall> call =
                origin.lookingAt() ? remotes.get().call(URI.create(origin.group())) : Optional.empty();
        if (call.isEmpty()) {
            return client.execute(request, options);
        }
        Decision admitted = call.get().acquire();
        Response response = client.execute(request, options);
        HttpHeaders headers = new HttpHeaders();
        response.headers().forEach((name, values) -> headers.put(name, List.copyOf(values)));
        call.get().answered(response.status(), headers, admitted);
        return response;
    }
}
