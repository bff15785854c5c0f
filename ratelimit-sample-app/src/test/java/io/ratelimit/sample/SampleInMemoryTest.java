package io.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.test.AutoConfigureTestRateLimiter;
import io.ratelimit.test.TestClock;
import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Every endpoint, at a time that the test sets. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "server.shutdown=immediate")
@AutoConfigureTestRateLimiter
class SampleInMemoryTest {

    @LocalServerPort
    private int port;

    @Autowired
    private TestClock clock;

    @Test
    void aUserIsAllowedFiveTimesAMinute() {
        for (int i = 0; i < 5; i++) {
            Answer allowed = get("/check?userId=alice");
            assertThat(allowed.status()).isEqualTo(200);
            assertThat(allowed.body()).isEqualTo("User is allowed");
        }
        Answer refused = get("/check?userId=alice");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("60");
        assertThat(refused.header("RateLimit-Policy")).isEqualTo("\"default\";q=5;w=60");
        assertThat(get("/check?userId=bob").status()).isEqualTo(200);

        clock.advance(Duration.ofSeconds(60));
        assertThat(get("/check?userId=alice").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixed-window", "sliding-window-log", "sliding-window-counter", "token-bucket"})
    void everyAlgorithmAdmitsTenInTenSeconds(String algorithm) {
        String path = "/demo/" + algorithm;
        for (int i = 0; i < 10; i++) {
            assertThat(get(path, "X-User", "alice").status()).isEqualTo(200);
        }
        Answer refused = get(path, "X-User", "alice");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("X-RateLimit-Limit")).isEqualTo("10");
        assertThat(get(path, "X-User", "bob").status()).isEqualTo(200);

        clock.advance(Duration.ofSeconds(Long.parseLong(refused.header("Retry-After"))));
        assertThat(get(path, "X-User", "alice").status()).isEqualTo(200);
    }

    @Test
    void theLayersAreOneDecision() {
        for (int second = 0; second < 4; second++) {
            for (int i = 0; i < 5; i++) {
                assertThat(get("/demo/layered", "X-User", "alice").status()).isEqualTo(200);
            }
            Answer refused = get("/demo/layered", "X-User", "alice");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isEqualTo(second < 3 ? "1" : refused.header("Retry-After"));
            clock.advance(Duration.ofSeconds(1));
        }
        Answer refused = get("/demo/layered", "X-User", "alice");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(Long.parseLong(refused.header("Retry-After"))).isGreaterThan(50);
        assertThat(refused.body()).contains("layered#2\"]").doesNotContain("layered\"");
    }

    @Test
    void aSearchTakesAHundredOfTheDaysQuota() {
        assertThat(get("/quota/videos", "X-Api-Key", "k1").header("X-RateLimit-Remaining"))
                .isEqualTo("9499");
        for (int i = 1; i <= 94; i++) {
            assertThat(get("/quota/search", "X-Api-Key", "k1").header("X-RateLimit-Remaining"))
                    .isEqualTo(String.valueOf(9499 - 100 * i));
        }
        assertThat(get("/quota/search", "X-Api-Key", "k1").status()).isEqualTo(429);
        assertThat(get("/quota/videos", "X-Api-Key", "k1").header("X-RateLimit-Remaining"))
                .isEqualTo("98");
        assertThat(get("/quota/search", "X-Api-Key", "k2").status()).isEqualTo(200);
    }

    @Test
    void aCustomerHasTheNumbersOfItsContract() {
        await().until(() -> get("/contracts", "X-User", "alice")
                .header("X-RateLimit-Limit")
                .equals("6")); // is looked up beside the first call
        clock.advance(Duration.ofMinutes(1));
        for (int i = 0; i < 6; i++) {
            assertThat(get("/contracts", "X-User", "alice").status()).isEqualTo(200);
        }
        assertThat(get("/contracts", "X-User", "alice").status()).isEqualTo(429);

        assertThat(get("/contracts", "X-User", "eve").header("X-RateLimit-Limit"))
                .isEqualTo("3");
    }

    @Test
    void theRouteLimitsOrdersByAddress() {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/routes/orders", "X-User", "user" + i).status()).isEqualTo(200);
        }
        Answer refused = get("/routes/orders");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("RateLimit-Policy")).isEqualTo("\"orders\";q=3;w=10");
        assertThat(refused.body()).contains("\"violated-policies\":[\"orders\"]");
    }

    @Test
    void twoReportsAtATime() {
        assertThat(get("/reports", "X-User", "alice").header("RateLimit-Policy"))
                .isEqualTo("\"reports\";q=2;qu=\"concurrent-requests\"");
        LimitStates alice = new LimitStates("http://localhost:" + port, "header:x-user:alice");
        await().until(() -> alice.used("reports") == 0);
        for (int i = 0; i < 2; i++) {
            Http.begin("GET", "http://localhost:" + port + "/reports?seconds=60", "X-User", "alice");
        }
        await().until(() -> alice.used("reports") == 2); // without a request, which would take a slot

        assertThat(get("/reports", "X-User", "alice").status()).isEqualTo(429);
        assertThat(get("/reports", "X-User", "bob").status()).isEqualTo(200);
        clock.advance(Duration.ofMinutes(10));
        assertThat(get("/reports", "X-User", "alice").status()).isEqualTo(200);
    }

    @Test
    void anAnswerCountsByItsWords() {
        assertThat(get("/chat?words=33", "X-User", "alice").header("X-RateLimit-Remaining"))
                .isEqualTo("80");
        assertThat(get("/chat?words=60", "X-User", "alice").header("X-RateLimit-Remaining"))
                .isEqualTo("47");
        assertThat(get("/chat", "X-User", "alice").status()).isEqualTo(429);
    }

    @Test
    void onlyFailedLogInsCount() {
        for (int i = 0; i < 5; i++) {
            assertThat(logIn("secret").status()).isEqualTo(200);
            assertThat(logIn("guess").status()).isEqualTo(401);
        }
        assertThat(logIn("secret").header("Retry-After")).isEqualTo("900");
        clock.advance(Duration.ofMinutes(15));
        assertThat(logIn("secret").status()).isEqualTo(200);
    }

    @Test
    void whoFailsAgainAfterABanIsBannedForLonger() {
        for (String seconds : new String[] {"900", "3600", "86400", "86400"}) {
            for (int i = 0; i < 5; i++) {
                assertThat(logIn("guess").status()).isEqualTo(401);
            }
            assertThat(logIn("secret").header("Retry-After")).isEqualTo(seconds);
            clock.advance(Duration.ofSeconds(Long.parseLong(seconds)));
        }
        assertThat(logIn("secret").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/login?user=bob&password=secret",
                "/playground/decisions?algorithm=fixed-window&maxRequests=1&window=1&run=multipart"
            })
    void aMultipartBodyThatCannotBeReadIsNoErrorOfTheServer(String path) {
        Answer answer = Http.post("http://localhost:" + port + path, "--", "Content-Type", "multipart/form-data");
        assertThat(answer.status()).isEqualTo(200);
    }

    @Test
    void aUserHasThreeDevices() {
        for (String device : new String[] {"phone", "tablet", "laptop", "phone"}) {
            assertThat(get("/sync", "X-User", "alice", "X-Device", device).status())
                    .isEqualTo(200);
        }
        assertThat(get("/sync", "X-User", "alice", "X-Device", "tv").status()).isEqualTo(429);
        assertThat(get("/sync", "X-User", "alice", "X-Device", "phone").status())
                .isEqualTo(200);
    }

    @Test
    void healthIsUpWithoutRedisAndNeverLimited() {
        for (int i = 0; i < 20; i++) {
            Answer health = get("/actuator/health");
            assertThat(health.status()).isEqualTo(200);
            assertThat(health.body()).contains("\"status\":\"UP\"");
            assertThat(health.header("RateLimit")).isNull();
        }
    }

    private Answer logIn(String password) {
        return Http.send("POST", "http://localhost:" + port + "/login?user=alice&password=" + password);
    }

    private Answer get(String path, String... headers) {
        return Http.send("GET", "http://localhost:" + port + path, headers);
    }
}
