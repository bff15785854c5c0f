package io.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.internal.operate.StoreHealth;
import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Two instances on two ports, and one Redis. */
class SampleOnRedisTest {

    private static ConfigurableApplicationContext one;
    private static ConfigurableApplicationContext other;

    @BeforeAll
    static void start() {
        String prefix = UUID.randomUUID().toString();
        one = instance(prefix);
        other = instance(prefix);
        for (ConfigurableApplicationContext instance : new ConfigurableApplicationContext[] {one, other}) {
            // where a start takes long, the sample goes on without Redis at first
            await().until(() -> new StoreHealth(instance.getBean(RateLimiter.class))
                    .outage()
                    .isEmpty());
        }
    }

    @AfterAll
    static void stop() {
        one.close();
        other.close();
    }

    @Test
    void aUserIsAllowedFiveTimesByBothTogether() {
        for (int i = 0; i < 5; i++) {
            Answer allowed = get(i % 2 == 0 ? one : other, "/check?userId=alice");
            assertThat(allowed.status()).isEqualTo(200);
            assertThat(allowed.body()).isEqualTo("User is allowed");
        }
        assertThat(get(one, "/check?userId=alice").status()).isEqualTo(429);
        assertThat(get(other, "/check?userId=alice").status()).isEqualTo(429);
        assertThat(get(other, "/check?userId=bob").status()).isEqualTo(200);
    }

    @Test
    void bothTakeOfOneQuota() {
        assertThat(get(one, "/quota/search", "X-Api-Key", "k1").header("X-RateLimit-Remaining"))
                .isEqualTo("9400");
        assertThat(get(other, "/quota/videos", "X-Api-Key", "k1").header("X-RateLimit-Remaining"))
                .isEqualTo("9399");
    }

    @Test
    void whatIsLeftOfTheMailsIsSent() {
        assertThat(mails(one, 30)).isEqualTo("sent 30 of 30");
        assertThat(mails(other, 30)).isEqualTo("sent 20 of 30");

        Answer refused = Http.send("POST", address(one, "/mails"), "X-User", "ann");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isNotNull();
    }

    private static String mails(ConfigurableApplicationContext instance, int count) {
        return Http.send("POST", address(instance, "/mails?count=" + count), "X-User", "ann")
                .body();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixed-window", "sliding-window-log", "sliding-window-counter", "token-bucket", "layered"})
    void everyDemoAnswersFromRedis(String demo) {
        Answer allowed = get(one, "/demo/" + demo, "X-User", "alice");

        assertThat(allowed.status()).isEqualTo(200);
        assertThat(allowed.body()).isEqualTo("allowed");
        assertThat(allowed.header("X-RateLimit-Remaining")).isEqualTo(demo.equals("layered") ? "4" : "9");
    }

    @Test
    void healthIsUpAndLooksAtRedis() {
        assertThat(get(one, "/actuator/health").body()).contains("\"status\":\"UP\"");
    }

    private static Answer get(ConfigurableApplicationContext instance, String path, String... headers) {
        return Http.send("GET", address(instance, path), headers);
    }

    private static String address(ConfigurableApplicationContext instance, String path) {
        return "http://localhost:" + instance.getEnvironment().getProperty("local.server.port") + path;
    }

    private static ConfigurableApplicationContext instance(String prefix) {
        return new SpringApplicationBuilder(SampleApplication.class)
                .run(
                        "--server.port=0",
                        "--spring.main.banner-mode=off",
                        "--spring.data.redis.url=" + TestRedis.uri(),
                        "--server.shutdown=immediate",
                        "--rate-limiter.timeout=15s",
                        "--rate-limiter.window-size=1d",
                        "--rate-limiter.on-store-failure=closed",
                        "--rate-limiter.key-prefix=" + prefix);
    }
}
