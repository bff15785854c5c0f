package io.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Requests to the partner, in real time. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"server.shutdown=immediate", "rate-limiter.clients.partner.max-wait=1m"})
class SampleThatWaitsTest {

    @LocalServerPort
    private int port;

    @Test
    void requestsToThePartnerWaitUntilItAllowsThem() {
        long begun = System.nanoTime();
        for (int i = 0; i < 7; i++) {
            Answer answer = Http.send("GET", "http://localhost:" + port + "/partner");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("a quote of the partner");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    }
}
