package io.ratelimit.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.stereotype.Controller;

/** In GraphQL over HTTP a refusal is an error of the result. */
class GraphQlHttpTest {

    @Controller
    static class Orders {

        @RateLimited(maxRequests = "1", windowSize = "1h", key = "#user")
        @QueryMapping
        public String order(@Argument String user) {
            return "order of " + user;
        }
    }

    @Test
    void aRefusalHasAClassificationOfItsOwnAndLeavesNoTrace() {
        try (TestApp app = TestApp.start(List.of(Orders.class), "spring.graphql.schema.locations=classpath:schemas/");
                LogCapture log = LogCapture.start()) {
            assertThat(ask(app).body()).contains("\"order\":\"order of alice\"");

            Answer refused = ask(app);

            assertThat(refused.status()).isEqualTo(200);
            assertThat(refused.body())
                    .contains("\"classification\":\"RATE_LIMITED\"", "\"retryAfter\":3600", "\"order\":null")
                    .contains("quota has been exceeded");
            assertThat(log.messages(Level.ERROR)).isEmpty();
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
    }

    private static Answer ask(TestApp app) {
        return Http.post(
                "http://localhost:" + app.port() + "/graphql",
                "{\"query\":\"{ order(user: \\\"alice\\\") }\"}",
                "Content-Type",
                "application/json");
    }
}
