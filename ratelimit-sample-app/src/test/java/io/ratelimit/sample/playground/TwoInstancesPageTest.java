package io.ratelimit.sample.playground;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Two instances charge one quota, or the page says why they do not. */
class TwoInstancesPageTest extends RedisPageTest {

    @BeforeEach
    void addIt() {
        addSecondInstance();
    }

    @Test
    void twoInstancesChargeOneQuota() {
        page.choose("Burst");
        page.fill("maxRequests", 10);
        page.fill("window", 60);
        page.fill("burst", 1);
        page.fill("size", 20);
        page.fill("seconds", 1);
        page.press("Start");
        page.awaitText("#sliding-window-log dd.refused", "10");
        assertThat(page.text("#store")).isEqualTo("in Redis");
        page.stop();

        assertThat(page.allowed("sliding-window-log")).isEqualTo(10);
        JsonNode log = page.save().at("/lanes/2");
        assertThat(values(log, "instance")).containsExactly("0", "1");
        assertThat(values(log, "by")).containsExactly("store");
    }

    @Test
    void eachOfManyClientsAsksBothInstances() {
        page.choose("Many clients");
        page.fill("clients", 3);
        page.fill("window", 1);
        page.fill("seconds", 4);
        page.run();

        JsonNode decisions = page.save().at("/lanes/2/decisions");
        for (int client = 0; client < 3; client++) {
            int each = client;
            assertThat(StreamSupport.stream(decisions.spliterator(), false)
                            .filter(decision -> decision.get("client").asInt() == each)
                            .map(decision -> decision.get("instance").asInt()))
                    .contains(0, 1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--rate-limiter.store=in-memory, counts in memory and shares no quota",
        "--rate-limiter.key-prefix=elsewhere, does not see what is charged here"
    })
    void anInstanceThatSharesNoQuotaIsNotShownAsIfItDid(String setting, String message) {
        try (ConfigurableApplicationContext stranger = instance(setting)) {
            page.fill("instance", url(stranger));
            page.press("Start");
            page.awaitText("#error", url(stranger) + " " + message);
            assertThat(page.text("#lanes")).isEmpty();
        }
    }

    @Test
    void theInstanceOfThePageIsNotASecondOne() {
        page.fill("instance", url(sample).replace("localhost", "127.0.0.1"));
        page.press("Start");
        page.awaitText("#error", "is the instance that serves this page");
    }

    @Test
    void whileRedisIsAwayNobodySaysThatTwoInstancesShareAQuota() {
        redis.close();
        page.press("Start");
        page.awaitText("#error", "Redis does not answer, so that two instances cannot be compared");
        assertThat(page.text("#lanes")).isEmpty();
    }
}
