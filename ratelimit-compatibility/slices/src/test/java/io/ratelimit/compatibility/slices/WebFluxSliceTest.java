package io.ratelimit.compatibility.slices;

import static io.ratelimit.test.reactive.RateLimitSpecs.isNotRateLimited;
import static io.ratelimit.test.reactive.RateLimitSpecs.isRateLimited;
import static io.ratelimit.test.reactive.RateLimitSpecs.remaining;
import static io.ratelimit.test.reactive.RateLimitSpecs.retryAfter;

import io.ratelimit.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec;

@WebFluxTest(properties = {"rate-limiter.routes.routed.paths=/routed", "rate-limiter.routes.routed.max-requests=1"})
class WebFluxSliceTest {

    @Autowired
    private WebTestClient client;

    @Autowired
    private TestClock clock;

    @RepeatedTest(2)
    void routesLimit() {
        call("/routed").expectAll(isNotRateLimited(), remaining("routed", 0));
        call("/routed").expectAll(isRateLimited(), retryAfter(Duration.ofMinutes(1)));
        clock.advance(Duration.ofMinutes(1));
        call("/routed").expectAll(isNotRateLimited());
    }

    @RepeatedTest(2)
    void annotationsLimit() {
        call("/annotated?user=alice").expectAll(isNotRateLimited(), remaining("annotated", 0));
        call("/annotated?user=alice").expectAll(isRateLimited());
    }

    private ResponseSpec call(String path) {
        return client.get().uri(path).exchange();
    }
}
