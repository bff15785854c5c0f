package io.ratelimit.sample.playground;

import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.sample.SampleApplication;
import io.ratelimit.testing.RedisProcess;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The page in a browser, beside a sample that counts in a Redis of its own, in real time. */
@Tag("browser")
abstract class RedisPageTest {

    static Browser browser;
    static RedisProcess redis;
    static ConfigurableApplicationContext sample;
    private static @Nullable ConfigurableApplicationContext other;

    PlaygroundPage page;

    @BeforeAll
    static void start() {
        browser = Browser.start();
        redis = RedisProcess.start();
        sample = instance();
    }

    @BeforeEach
    void open() {
        if (!redis.isAlive()) {
            redis = RedisProcess.startOn(redis.port());
        }
        browser.forgetDownloads();
        browser.look(false, Browser.DESKTOP);
        page = new PlaygroundPage(browser, url(sample) + "/");
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            sample.close();
            if (other != null) {
                other.close();
                other = null;
            }
            redis.close();
            browser.close();
        }
    }

    /** Starts a further instance, on the same Redis unless settings say otherwise. */
    static ConfigurableApplicationContext instance(String... settings) {
        return new SpringApplicationBuilder(SampleApplication.class)
                .properties(
                        "server.port=0",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + redis.port(),
                        "spring.data.redis.lettuce.shutdown-timeout=0ms",
                        "rate-limiter.timeout=3s") // on a busy machine, too, only an outage is an outage
                .run(settings);
    }

    static String url(ConfigurableApplicationContext instance) {
        return "http://localhost:" + instance.getEnvironment().getProperty("local.server.port");
    }

    /** Enters a second instance on the same Redis, which all tests of a class share. */
    void addSecondInstance() {
        if (other == null) {
            other = instance();
        }
        page.openMore();
        page.fill("instance", url(other));
    }

    static Set<String> values(JsonNode lane, String field) {
        return StreamSupport.stream(lane.get("decisions").spliterator(), false)
                .map(decision -> decision.get(field).asText())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
