package io.ratelimit.sample.playground;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs that the page starts. */
class PlaygroundPageTest extends PageTest {

    @Test
    @Tag("slow")
    void burstsOnBothSidesOfABoundaryEndOn100And55And50() {
        page.run();

        assertThat(page.allowed("fixed-window")).isEqualTo(100);
        assertThat(page.allowed("sliding-window-counter")).isEqualTo(55);
        assertThat(page.allowed("sliding-window-log")).isEqualTo(50);
        assertThat(page.allowed("token-bucket")).isEqualTo(60);
        assertThat(page.text("#fixed-window .peak")).isEqualTo("100, over the limit of 50");
        assertThat(page.text("#sliding-window-log .peak")).isEqualTo("50");
        assertThat(page.text("#sliding-window-log .retry"))
                .isEqualTo("Retried 8 s after the refusal, as Retry-After says: allowed.");
        assertThat(page.text("#sliding-window-log .last")).contains("RateLimit: \"playground-sliding-window-log\";r=");
        assertThat(page.text("#status")).contains("100").contains("55").contains("50");

        page.clickFirstDot("sliding-window-log", "refused0");
        assertThat(page.text("#sliding-window-log .why"))
                .isEqualTo(
                        "Refused at 2.85 s by playground-sliding-window-log, 50 in 10 s, counted for client 1 of this run in"
                                + " the memory of the sample. It would pass at 10.80 s if nobody else called.");
        assertThat(page.text("#error")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"Burst, 2, 0", "Steady, 3, 6", "Poisson, 3, 6", "Ramp, 3, 8", "Many clients, 3, 8"})
    void everyRunEndsWithTheCountsOfTheArithmetic(String shape, int seconds, int rate) {
        page.choose(shape);
        page.fill("maxRequests", 2);
        page.fill("window", 1);
        page.fill("burst", 2);
        page.fill("seconds", seconds);
        if (rate > 0) {
            page.fill("rate", rate);
        }
        page.run();

        JsonNode run = page.save();
        assertThat(run.get("lanes")).hasSize(4);
        for (JsonNode lane : run.get("lanes")) {
            String algorithm = lane.get("algorithm").asText();
            assertThat(page.allowed(algorithm)).as(algorithm).isEqualTo(Arithmetic.allowed(run, lane));
            assertThat(page.refused(algorithm)).as(algorithm).isPositive();
        }
    }

    @Test
    void aCounterThatCountsPartsOfItsWindow() {
        page.choose("Burst");
        page.fill("window", 1);
        page.fill("seconds", 1);
        page.openMore();
        page.fill("buckets", 3);
        page.press("Start");
        page.awaitText("#error", "buckets '3'");

        page.fill("buckets", 2);
        page.run();

        assertThat(page.save().at("/settings/buckets").asInt()).isEqualTo(2);
        assertThat(page.text("#error")).isEmpty();
    }

    @Test
    void stopEndsTheWaitForARetryAndTheTableOnlyGrows() {
        page.choose("Burst");
        page.fill("maxRequests", 1);
        page.fill("window", 60);
        page.fill("size", 2);
        page.fill("seconds", 4);
        page.press("Start");
        page.awaitText("#fixed-window .counts", "1");
        assertThat(page.find("document.querySelector('#start').textContent")).isEqualTo("Stop");
        assertThat((Number) page.find("document.querySelector('#start').getBoundingClientRect().top"))
                .extracting(Number::doubleValue)
                .matches(top -> top >= 0 && top < 900, "in sight");
        page.awaitCondition("two rows", () -> page.rows("fixed-window") == 2);
        page.find("document.querySelector('#fixed-window tbody tr').id = 'kept'");
        page.awaitCondition("four rows", () -> page.rows("fixed-window") == 4);
        assertThat(page.text("#fixed-window tbody #kept")).contains("allowed");

        page.awaitText("#sliding-window-log .retry", "Retrying in");
        page.stop();
        assertThat(page.text("#start")).isEqualTo("Start");
        assertThat(page.text("#sliding-window-log .retry")).contains("The run ends before that");
    }

    @Test
    void onlyTheGreedyOneOfManyClientsIsRefusedAndTheOthersAreFarFromIt() {
        page.choose("Many clients");
        page.press("Start");
        page.awaitText("#status", "traffic is over");
        page.stop();

        String points = "Chart.getChart(document.querySelector('#fixed-window canvas')).data.datasets"
                + ".find(set => set.id === '%s').data.length";
        assertThat(page.find(points.formatted("refused0"))).isNotEqualTo(0L);
        assertThat(page.find(points.formatted("allowedOther"))).isNotEqualTo(0L);
        assertThat(page.find(points.formatted("refusedOther"))).isEqualTo(0L);
        JsonNode run = page.save();
        int limit = run.at("/settings/maxRequests").asInt();
        double window = run.at("/settings/window").asDouble();
        for (JsonNode lane : run.get("lanes")) {
            Map<Integer, List<Double>> allowed = new HashMap<>();
            for (JsonNode decision : lane.get("decisions")) {
                int client = decision.get("client").asInt();
                if (client > 0) {
                    assertThat(decision.get("kind").asText()).isEqualTo("allowed");
                    allowed.computeIfAbsent(client, each -> new ArrayList<>())
                            .add(decision.get("t").asDouble());
                }
            }
            assertThat(allowed).hasSize(3);
            allowed.values()
                    .forEach(times -> IntStream.range(limit, times.size())
                            .forEach(i -> assertThat(times.get(i) - times.get(i - limit))
                                    .isGreaterThan(window + 1)));
            assertThat(page.refused(lane.get("algorithm").asText())).isPositive();
        }
    }

    @Test
    void onlyTheBoundaryBurstWaitsForAnEdge() {
        page.find("""
                new MutationObserver(() => (document.body.dataset.said += document.querySelector('#status').textContent))
                  .observe(document.querySelector('#status'), { childList: true, characterData: true, subtree: true }) ?? ''
                """);
        page.choose("Burst");
        page.fill("window", 1);
        page.fill("seconds", 1);
        page.run();
        assertThat(page.find("document.body.dataset.said"))
                .asString()
                .contains("Burst: running")
                .doesNotContain("edge");
    }
}
