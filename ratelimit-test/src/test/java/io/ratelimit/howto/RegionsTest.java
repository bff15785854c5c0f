package io.ratelimit.howto;

import static io.ratelimit.test.RateLimitAssertions.assertThatRequest;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

@HowTo("regions")
class RegionsTest {

    @Test
    void aRegionHasItsShare(@Autowired ApplicationContext context) {
        assertThatRequest(context, "GET", "/api/orders")
                .isLimitedTo(500, Duration.ofMinutes(1))
                .by("header:X-Api-Key");
    }
}
