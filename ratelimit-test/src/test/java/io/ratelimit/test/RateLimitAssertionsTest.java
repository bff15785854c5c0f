package io.ratelimit.test;

import static io.ratelimit.test.RateLimitAssertions.assertThatMethod;
import static io.ratelimit.test.RateLimitAssertions.assertThatRequest;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;

@SpringBootTest(
        properties = {"spring.config.name=shop", "spring.main.lazy-initialization=true", "rate-limiter.deny=203.0.113.7"
        })
class RateLimitAssertionsTest {

    private static final Duration QUARTER = Duration.ofMinutes(15);

    @Autowired
    private ApplicationContext context;

    @Test
    void routesOfARequest() {
        assertThatRequest(context, "POST", "/login")
                .isLimitedTo(5, QUARTER)
                .by("ip")
                .failsClosed();
        assertThatRequest(context, "POST", "/login").isLimitedBy("all").failsLocal();
        assertThatThrownBy(() -> assertThatRequest(context, "GET", "/login").isLimitedBy("login"))
                .hasMessageContaining("Expected GET /login to be limited by the limit 'login', but it is limited:")
                .hasMessageContaining("'all': 100 per PT1S (token-bucket), key 'ip', on store failure 'local'");
        assertThatThrownBy(() -> assertThatRequest(context, "GET", "/login").isNotLimited())
                .hasMessageContaining("'all'");
    }

    @Test
    void aListOfDeniedAddressesIsNoLimit() {
        assertThatThrownBy(() -> assertThatRequest(context, "GET", "/login").failsOpen())
                .hasMessageContaining("'all': 100");
    }

    @Test
    void assertionsInARowAreAboutOneRule() {
        assertThatThrownBy(() -> assertThatRequest(context, "POST", "/login")
                        .isLimitedTo(5, QUARTER)
                        .failsLocal())
                .hasMessageContaining("with the failure policy 'local'");
        assertThatThrownBy(() -> assertThatRequest(context, "POST", "/login").isLimitedTo(5, Duration.ofMinutes(1)))
                .hasMessageContaining("to 5 per PT1M");
    }

    @Test
    void annotationsOfAMethod() {
        assertThatMethod(context, Reports.class, "export")
                .isLimitedTo(3, Duration.ofHours(1))
                .by("#user")
                .failsOpen();
        assertThatMethod(context, Orders.class, "orders").isNotLimited();
        assertThatMethod(context, Letters.class, "send").isLimitedBy("exports").by("#user");
        assertThatMethod(context, Letters.Printed.class, "print").isLimitedBy("exports");
        assertThatMethod(context, Letters.OnPaper.class, "send").isLimitedBy("exports");
        assertThatMethod(context, Letters.OnPaper.class, "print").isLimitedBy("exports");
        assertThatMethod(context, Letters.Printed.class, "fold").isNotLimited();
        assertThatThrownBy(
                        () -> assertThatMethod(context, Orders.class, "orders").isLimitedBy("exports"))
                .hasMessage("Expected Orders.orders to be limited by the limit 'exports', but it is not limited");
        assertThatThrownBy(
                        () -> assertThatMethod(context, Orders.class, "order").isNotLimited())
                .hasMessage("class '%s' has no method 'order': name one that it has", Orders.class.getName());
    }
}
