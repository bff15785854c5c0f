package io.ratelimit.compatibility;

import static io.ratelimit.compatibility.Part.REACTIVE;
import static io.ratelimit.compatibility.Part.SERVLET;
import static io.ratelimit.compatibility.Part.WEBFLUX_GATEWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.compatibility.limiters.TwoLimitersApplication;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Actuator and a gateway show a limiter only if one is singled out. */
class TwoLimitersTest {

    @Test
    void aServletApplicationStarts() {
        starts(Set.of(SERVLET));
    }

    @Test
    void aGatewayStarts() {
        starts(Set.of(REACTIVE, WEBFLUX_GATEWAY));
    }

    private static void starts(Set<Part> parts) {
        try (Application application = Application.start(
                TwoLimitersApplication.class,
                parts,
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.health.show-details=always")) {
            assertThat(application.get("/actuator/health").body())
                    .contains("UP")
                    .doesNotContain("rateLimiter");
            assertThat(application.get("/actuator/ratelimits").status()).isEqualTo(404);
        }
    }
}
