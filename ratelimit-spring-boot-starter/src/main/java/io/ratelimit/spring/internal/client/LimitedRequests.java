package io.ratelimit.spring.internal.client;

import io.ratelimit.Decision;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/**
 * Limits the requests of a {@code RestClient} or {@code RestTemplate}, before they take a connection. A thread whose request
 * waits for quota is blocked, as it is for the response. Equal to those of the same partners, because a {@code RestClient} that is
 * made of a {@code RestTemplate} has its interceptors, and limits a request once. Thread-safe.
 */
public record LimitedRequests(Remotes remotes) implements ClientHttpRequestInterceptor {

    private static final Logger LOG = LoggerFactory.getLogger(LimitedRequests.class);

    /** Adds this behind the interceptors that the client has, unless it has it. */
    public void addTo(Object client) {
        if (client instanceof RestClient.Builder builder) {
            builder.requestInterceptors(this::addTo);
        } else if (client instanceof RestTemplate template) {
            addTo(template.getInterceptors());
        }
    }

    private void addTo(List<ClientHttpRequestInterceptor> interceptors) {
        if (!interceptors.contains(this)) {
            interceptors.add(this);
        }
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        Optional<OutboundCall> call = remotes.call(request.getURI());
        if (call.isEmpty()) {
            return execution.execute(request, body);
        }
        Decision admitted = call.get().acquire();
        ClientHttpResponse response = execution.execute(request, body);
        answered(call.get(), admitted, response);
        return response;
    }

    private static void answered(OutboundCall call, Decision admitted, ClientHttpResponse response) {
        try {
            call.answered(response.getStatusCode().value(), response.getHeaders(), admitted);
        } catch (IOException | RuntimeException unreadable) { // the caller finds that when it reads the response
            LOG.debug("a response has no status", unreadable);
        }
    }
}
