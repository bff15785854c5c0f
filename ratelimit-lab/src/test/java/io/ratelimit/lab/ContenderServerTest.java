package io.ratelimit.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ContenderServerTest {

    /** Admits calls of cost 1 alone, and fails for one subject. */
    private final ContenderServer server = ContenderServer.start((subject, cost) -> {
        if (subject.equals("broken")) {
            throw new IllegalStateException("no store");
        }
        return Answer.of(cost == 1, 1_500_001);
    });

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<String> call(String path, String subject) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url(path)))
                .header(ContenderServer.HEADER, subject)
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void anAdmittedCallIsA200() throws Exception {
        assertThat(call("/", "alice").statusCode()).isEqualTo(200);
    }

    @Test
    void aRefusedCallIsA429ThatRoundsTheWaitUp() throws Exception {
        HttpResponse<String> refused = call("/5", "alice");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).contains("2");
    }

    @Test
    void aLimiterThatFailsIsA500() throws Exception {
        assertThat(call("/", "broken").statusCode()).isEqualTo(500);
    }
}
