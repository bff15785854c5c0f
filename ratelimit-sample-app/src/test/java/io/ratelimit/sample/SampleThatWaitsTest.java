package io.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.Http;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The endpoint that waits, in real time. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "server.shutdown=immediate")
class SampleThatWaitsTest {

    @LocalServerPort
    private int port;

    @Test
    void callsOfThePartnerWaitUntilTheyFit() {
        long begun = System.nanoTime();
        for (int i = 0; i < 7; i++) {
            assertThat(Http.send("GET", "http://localhost:" + port + "/partner").status())
                    .isEqualTo(200);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(399));
    }
}
