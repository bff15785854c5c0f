package io.ratelimit.spring.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.RedisProcess;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Decides, counts and logs, but never refuses. */
class ReportOnlyHttpTest {

    @Test
    void letsThroughWhatItWouldRefuseAndSaysSo() {
        try (TestApp app = TestApp.start(
                        List.of(ShopController.class),
                        "rate-limiter.report-only=true",
                        "rate-limiter.routes.plain.paths=/plain/**",
                        "rate-limiter.routes.plain.max-requests=1",
                        "rate-limiter.routes.plain.window-size=1d");
                LogCapture log = LogCapture.start()) {
            assertThat(app.get("/plain/x").header("RateLimit")).startsWith("\"plain\";r=0;");
            Answer over = app.get("/plain/x");
            assertThat(over.status()).isEqualTo(200);
            assertThat(over.body()).isEqualTo("ok");
            assertThat(over.header("RateLimit")).startsWith("\"plain\";r=0;");
            assertThat(log.messages(Level.INFO)).singleElement().asString().contains("report-only", "plain");
        }
    }

    @Test
    void letsThroughWhatAMissingStoreWouldRefuse() {
        try (TestApp app = TestApp.start(
                List.of(ShopController.class),
                "rate-limiter.report-only=true",
                "rate-limiter.on-store-failure=closed",
                "spring.data.redis.url=redis://127.0.0.1:" + RedisProcess.freePort(),
                "rate-limiter.routes.plain.paths=/plain/**",
                "rate-limiter.routes.plain.max-requests=1")) {
            Answer answer = app.get("/plain/x");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.header("RateLimit")).isNull();
        }
    }
}
