package io.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The same application with its limits switched off: all of it starts, and nothing is limited. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"server.shutdown=immediate", "rate-limiter.enabled=false"})
class SampleDisabledTest {

    @LocalServerPort
    private int port;

    @ParameterizedTest
    @CsvSource({
        "GET, /check?userId=alice",
        "GET, /demo/fixed-window",
        "POST, /playground/decisions?algorithm=fixed-window&maxRequests=1&window=60&run=a&client=0&cost=1&requests=1"
    })
    void everyRequestIsAnsweredWithoutLimits(String method, String path) {
        for (int i = 0; i < 12; i++) {
            Answer answer = Http.send(method, "http://localhost:" + port + path);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.header("RateLimit")).isNull();
        }
    }
}
