package io.ratelimit.lab.partner;

import java.net.http.HttpClient;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** Sends requests, in the same way for all contenders. Thread-safe. */
final class PartnerHttp {

    private final RestClient client;
    private final String host;

    /** @param client what the contender has put in front of requests is in the builder */
    PartnerHttp(RestClient.Builder client, HttpClient http, String host) {
        this.client =
                client.requestFactory(new JdkClientHttpRequestFactory(http)).build();
        this.host = host;
    }

    Attempt send(int number) {
        return send("/", number);
    }

    void warmUp() {
        send("/warm-up", 1);
    }

    private Attempt send(String path, int number) {
        return client.get()
                .uri("http://" + host + path)
                .header(PartnerServer.ATTEMPT, Integer.toString(number))
                .exchange((request, response) -> response.getStatusCode().is2xxSuccessful()
                        ? new Attempt(Attempt.Outcome.ALLOWED, Duration.ZERO)
                        : new Attempt(Attempt.Outcome.REFUSED, retryAfter(response.getHeaders())));
    }

    private static Duration retryAfter(HttpHeaders headers) {
        String seconds = headers.getFirst(HttpHeaders.RETRY_AFTER);
        return Duration.ofSeconds(seconds == null ? 1 : Long.parseLong(seconds));
    }
}
