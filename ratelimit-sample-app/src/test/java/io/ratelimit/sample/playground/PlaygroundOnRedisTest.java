package io.ratelimit.sample.playground;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.sample.SampleApplication;
import io.ratelimit.testing.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The page beside two instances that share a Redis, whose plug is pulled and put back. */
@Tag("browser")
class PlaygroundOnRedisTest {

    private static Browser browser;
    private static RedisProcess redis;
    private static ConfigurableApplicationContext one;
    private static ConfigurableApplicationContext other;
    private PlaygroundPage page;

    @BeforeAll
    static void start() {
        browser = Browser.start();
        redis = RedisProcess.start();
        one = instance();
        other = instance();
    }

    @BeforeEach
    void open() {
        if (!redis.isAlive()) {
            redis = RedisProcess.startOn(redis.port());
        }
        browser.forgetDownloads();
        browser.look(false, Browser.DESKTOP);
        page = new PlaygroundPage(browser, url(one) + "/");
        page.openMore();
        page.fill("instance", url(other));
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            List.of(one, other).forEach(ConfigurableApplicationContext::close);
            redis.close();
            browser.close();
        }
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

    @ParameterizedTest
    @CsvSource({
        "local, 40, local, each instance decides",
        "open, 1, none, every request is allowed",
        "closed, 1, none, requests get 503"
    })
    void thePlugIsPulledAndPutBack(String policy, int each, String decider, String shown) {
        page.choose("Steady");
        page.fill("rate", 6);
        page.fill("seconds", 120);
        page.policy(policy);
        page.press("Start");
        awaitMore(each);
        assertThat(page.text("#decider")).isEmpty();

        redis.close();
        page.awaitText("#decider", shown);
        awaitMore(each);
        redis = RedisProcess.startOn(redis.port());
        page.awaitCondition("Redis decides again", () -> page.text("#decider").isEmpty());
        awaitMore(each);
        page.stop();

        assertThat(page.text("#error")).isEmpty();
        for (JsonNode lane : page.save().get("lanes")) {
            assertThat(values(lane, "by")).contains(decider, "store");
            assertThat(values(lane, "kind").contains("failed")).isEqualTo(policy.equals("closed"));
        }
        if (policy.equals("local")) {
            browser.screenshot("outage");
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
        page.fill("instance", url(one).replace("localhost", "127.0.0.1"));
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

    /** By real clocks, so a busy machine may be too slow for the counter's 55; where the docs are renewed it must not. */
    @Test
    void theRecordedRunIsDecidedByRedisInRealTime() throws IOException {
        page.fill("instance", "");
        page.openMore();
        page.run();

        assertThat(page.text("#sliding-window-log .peak")).isEqualTo("50");
        if (Docs.areRenewed()) {
            assertThat(page.text("#status"))
                    .isEqualTo(
                            "Done. Allowed of 100: fixed window 100, sliding window counter 55, sliding window log 50,"
                                    + " token bucket 60. Limit: 50 in 10 s.");
        }
        page.clickFirstDot("sliding-window-log", "refused0");
        browser.screenshot("light");
        browser.look(true, Browser.DESKTOP);
        browser.screenshot("dark");
        browser.look(false, Browser.PHONE);
        browser.screenshot("phone");
        String run = Files.readString(page.saveFile());
        Docs.write(RecordedPage.RUN, run.getBytes(UTF_8));
        Docs.write(RecordedPage.NAME, RecordedPage.html(run).getBytes(UTF_8));
    }

    /** Waits for further decisions, so that a picture has something to show. */
    private void awaitMore(int decisions) {
        long before = decisions();
        page.awaitCondition(decisions + " further decisions", () -> decisions() >= before + decisions);
    }

    private long decisions() {
        return Stream.of("allowed", "refused", "failed")
                .mapToLong(kind -> Long.parseLong("0" + page.text("#fixed-window dd." + kind)))
                .sum();
    }

    private static ConfigurableApplicationContext instance(String... settings) {
        return new SpringApplicationBuilder(SampleApplication.class)
                .properties(
                        "server.port=0",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + redis.port(),
                        "spring.data.redis.lettuce.shutdown-timeout=0ms",
                        "rate-limiter.timeout=3s") // on a busy machine, too, only an outage is an outage
                .run(settings);
    }

    private static String url(ConfigurableApplicationContext instance) {
        return "http://localhost:" + instance.getEnvironment().getProperty("local.server.port");
    }

    private static Set<String> values(JsonNode lane, String field) {
        return StreamSupport.stream(lane.get("decisions").spliterator(), false)
                .map(decision -> decision.get(field).asText())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
