package io.ratelimit.sample.playground;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.testing.RedisProcess;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The plug of Redis is pulled and put back while traffic runs. */
class OutagePageTest extends RedisPageTest {

    /** True if the area has a gap wherever another than Redis decided. */
    private static final String USED = "Chart.getChart(document.querySelector('#fixed-window canvas')).data.datasets"
            + ".filter(set => set.fill === 'origin')[0].data.filter(point => point.y === null).length > 0";

    @ParameterizedTest
    @CsvSource({
        "local, 40, local, each instance decides for itself, each instance counted for itself",
        "open, 1, none, every request is allowed, every request was allowed",
        "closed, 1, none, requests get 503, requests got 503"
    })
    void thePlugIsPulledAndPutBack(String policy, int each, String decider, String shown, String summary) {
        addSecondInstance();
        page.choose("Steady");
        page.fill("rate", 6);
        page.fill("seconds", 120);
        page.policy(policy);
        page.press("Start");
        awaitMore(each);
        assertThat(page.text("#decider")).isEmpty();

        redis.close();
        page.awaitText("#decider", shown);
        assertThat(page.find("document.querySelector('#decider').role")).isEqualTo("status");
        awaitMore(each);
        redis = RedisProcess.startOn(redis.port());
        page.awaitCondition("Redis decides again", () -> page.text("#decider").isEmpty());
        awaitMore(each);
        page.stop();

        assertThat(page.text("#error")).isEmpty();
        assertThat(page.find(USED)).isEqualTo(true);
        assertThat(page.text("#status")).contains("While Redis did not answer, " + summary);
        for (JsonNode lane : page.save().get("lanes")) {
            assertThat(values(lane, "by")).contains(decider, "store");
            assertThat(values(lane, "kind").contains("failed")).isEqualTo(policy.equals("closed"));
        }
        if (policy.equals("local")) {
            browser.screenshot("outage");
        }
    }

    /** Waits for further decisions: one, or as many as a picture for the docs has to show. */
    private void awaitMore(int shown) {
        int decisions = Docs.areRenewed() ? shown : 1;
        long before = decisions();
        page.awaitCondition(decisions + " further decisions", () -> decisions() >= before + decisions);
    }

    private long decisions() {
        return Stream.of("allowed", "refused", "failed")
                .mapToLong(kind -> Long.parseLong("0" + page.text("#fixed-window dd." + kind)))
                .sum();
    }
}
