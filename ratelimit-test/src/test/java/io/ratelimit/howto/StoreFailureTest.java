package io.ratelimit.howto;

import static io.ratelimit.test.RateLimitAssertions.assertThatRequest;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

@HowTo("store-failure")
class StoreFailureTest {

    @Test
    void eachRouteFailsAsThePageSays(@Autowired ApplicationContext context) {
        assertThatRequest(context, "GET", "/api/orders").isLimitedBy("hourly").failsLocal();
        assertThatRequest(context, "GET", "/status").isLimitedBy("hourly").failsOpen();
        assertThatRequest(context, "POST", "/payments").isLimitedBy("payments").failsClosed();
    }
}
