package io.ratelimit.sample.playground;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Runs that come from a file. */
class SavedRunPageTest extends PageTest {

    @Test
    void aSavedRunIsPlayedAgainWithoutTheSample() throws IOException {
        page.choose("Burst");
        page.fill("window", 1);
        page.fill("seconds", 1);
        page.run();
        Path file = page.saveFile();
        long requests = browser.resources().size();

        page.load(file);
        page.awaitText("#status", "Playing");
        page.awaitDone();
        assertThat(page.allowed("fixed-window")).isEqualTo(10);
        assertThat(page.refused("fixed-window")).isEqualTo(2);
        assertThat(browser.resources()).hasSize((int) requests);
        assertThat(page.text("header p")).contains("A recorded run").doesNotContain("simulated");
        assertThat(page.text("#fixed-window tbody")).isEmpty();
        assertThat(page.rows("fixed-window")).isEqualTo(13);
        assertThat(page.text("#fixed-window caption")).isEqualTo("Decisions by playground-fixed-window, 10 in 1 s");
        assertThat(page.text("#fixed-window tbody tr:last-child")).contains("allowed, a retry");
    }

    @Test
    void aFileThatIsLoadedDuringARunIsPlayedToItsEnd() throws IOException {
        page.choose("Burst");
        page.fill("window", 1);
        page.fill("seconds", 1);
        page.run();
        Path file = Files.move(
                page.saveFile(), browser.downloads.resolveSibling("loaded-during-a-run.json"), REPLACE_EXISTING);
        page.fill("window", 60);
        page.press("Start");
        page.awaitText("#status", "running");

        page.load(file);
        page.awaitText("#status", "Playing");
        page.awaitDone();
        assertThat(page.text("#start")).isEqualTo("Start");
        assertThat(page.save()).isEqualTo(PlaygroundPage.json(file));
    }

    @Test
    void dotsOfALongWindowStayOnTheirSideOfItsEdge() throws IOException {
        ObjectNode run = recorded();
        ((ObjectNode) run.get("settings")).put("window", 60).put("size", 100);
        play(run.put("seconds", 64));
        page.press("Stop");
        page.awaitDone();

        assertThat(page.find("""
                Chart.getChart(document.querySelector("#fixed-window canvas")).data.datasets.flatMap((set) => set.data)
                  .filter(({ x, decision }) => decision && x > 0 && (x < 2) === (decision.t < 2)).length
                """)).isEqualTo(100L);
    }

    @Test
    void aDamagedFileIsExplainedAndNothingOfItIsDrawn() throws IOException {
        page.load(Files.writeString(browser.downloads.resolve("other.txt"), "no run"));
        page.awaitText("#error", "This file is not JSON");
        play(object("{}"));
        page.awaitText("#error", "run.version is missing");
        damaged("/settings", "window", "0", "run.settings.window is 0");
        damaged("/settings", "shape", "\"tide\"", "run.settings.shape is \"tide\"");
        damaged("/lanes/2", "algorithm", "\"<img src=x>\"", "run.lanes[2].algorithm is \"<img src=x>\"");
        damaged("/lanes/2", "algorithm", "\"__proto__\"", "run.lanes[2].algorithm is \"__proto__\"");
        damaged("/lanes/2", "algorithm", "\"fixed-window\"", "two lanes of one algorithm");
        damaged("/lanes/3", "decisions", "null", "run.lanes[3].decisions is null");
        damaged("/lanes/3/decisions/7", "t", "\"1\"", "run.lanes[3].decisions[7].t is \"1\"");
        damaged("", "lanes", "[null]", "run.lanes[0] is null");
        damaged("", "seconds", "1e300", "run.seconds is 1e+300");
        damaged("", "store", "\"<b>\"", "run.store is");
    }

    private void damaged(String pointer, String field, String value, String message) throws IOException {
        ObjectNode run = recorded();
        ((ObjectNode) run.at(pointer)).set(field, new ObjectMapper().readTree(value));
        play(run);
        page.awaitText("#error", message);
        assertThat(page.text("#lanes")).isEmpty();
    }

    private void play(JsonNode run) throws IOException {
        page.load(Files.writeString(browser.downloads.resolve("changed.json"), run.toString()));
    }

    private static ObjectNode recorded() throws IOException {
        return object(Files.readString(Docs.FOLDER.resolve(RecordedPage.RUN)));
    }

    private static ObjectNode object(String json) throws IOException {
        return (ObjectNode) new ObjectMapper().readTree(json);
    }
}
