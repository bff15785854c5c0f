package io.ratelimit.compatibility;

import static io.ratelimit.compatibility.Part.REDIS;
import static io.ratelimit.compatibility.Part.SECURITY;
import static io.ratelimit.compatibility.Part.SERVLET;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.compatibility.servlet.ServletApplication;
import io.ratelimit.testing.TestRedis;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A property of Spring Boot 4, and a redirect that is not in the API that the starter is compiled with. */
class Boot4Test {

    @Test
    void findsTheMasterAmongNodesAndCountsWhatIsRedirected() {
        String[] limits = {
            "rate-limiter.key-prefix=" + UUID.randomUUID(),
            "rate-limiter.timeout=2s",
            "rate-limiter.max-requests=5",
            "rate-limiter.routes.moved.paths=/moved",
            "rate-limiter.routes.moved.max-requests=2",
            "spring.data.redis.masterreplica.nodes=" + TestRedis.uri().substring("redis://".length())
        };
        Set<Part> parts = Set.of(SERVLET, SECURITY, REDIS);
        try (Application one = Application.start(ServletApplication.class, parts, limits);
                Application other = Application.start(ServletApplication.class, parts, limits)) {
            assertThat(one.get("/moved").header("Location")).isEqualTo("/elsewhere");
            assertThat(other.statuses("/moved", 2)).containsExactly(303, 429);
        }
    }
}
