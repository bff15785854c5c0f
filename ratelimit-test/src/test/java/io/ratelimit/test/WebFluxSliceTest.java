package io.ratelimit.test;

import static io.ratelimit.test.reactive.RateLimitSpecs.isNotRateLimited;
import static io.ratelimit.test.reactive.RateLimitSpecs.isRateLimited;
import static io.ratelimit.test.reactive.RateLimitSpecs.remaining;
import static io.ratelimit.test.reactive.RateLimitSpecs.retryAfter;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.reactive.WebFluxTest;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec;

@WebFluxTest(controllers = ReactiveOrders.class, properties = "spring.config.name=shop")
class WebFluxSliceTest {

    @Autowired
    private WebTestClient client;

    @Autowired
    private TestClock clock;

    @Test
    void annotationsLimit() {
        search().expectAll(isNotRateLimited(), remaining(1), remaining("search", 1), remaining("all", 99));
        search().expectAll(
                        isNotRateLimited(),
                        spec -> spec.expectBody(String.class).isEqualTo("found"));
        search().expectAll(isRateLimited(), retryAfter(Duration.ofMinutes(1)));
        clock.advance(Duration.ofMinutes(1));
        search().expectAll(isNotRateLimited());
    }

    @Test
    void routesLimit() {
        for (int i = 0; i < 5; i++) {
            client.post().uri("/reactive/login").exchange().expectAll(isNotRateLimited());
        }
        client.post().uri("/reactive/login").exchange().expectAll(isRateLimited());
    }

    @Test
    void expectationsThatDoNotHoldShowTheResponse() {
        ResponseSpec response = search();
        assertThatThrownBy(() -> response.expectAll(isRateLimited())).hasMessageContaining("its status is 200");
        assertThatThrownBy(() -> response.expectAll(remaining(2))).hasMessageContaining("2 remaining");
    }

    private ResponseSpec search() {
        return client.get().uri("/reactive/search?user=alice").exchange();
    }
}
