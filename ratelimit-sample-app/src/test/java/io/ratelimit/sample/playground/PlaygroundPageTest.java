package io.ratelimit.sample.playground;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

/** The page in a browser, beside a sample whose time goes on as the page asks for it. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(VirtualTime.class)
@Tag("browser")
class PlaygroundPageTest {

    private static Browser browser;

    @LocalServerPort
    private int port;

    private PlaygroundPage page;

    @BeforeAll
    static void startBrowser() {
        browser = Browser.start();
    }

    @AfterAll
    static void stopBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() {
        browser.forgetDownloads();
        browser.look(false, Browser.DESKTOP);
        page = new PlaygroundPage(browser, "http://localhost:" + port + "/");
    }

    @Test
    void burstsOnBothSidesOfABoundaryEndOn100And55And50() throws IOException {
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

        photograph();
        assertThat(browser.resources()).allMatch(url -> url.startsWith("http://localhost:" + port + "/"));
        assertThat(page.text("#error")).isEmpty();
        String run = Files.readString(page.saveFile());
        Docs.write(RecordedPage.RUN, run.getBytes(UTF_8));
        Docs.write(RecordedPage.NAME, RecordedPage.html(run).getBytes(UTF_8));
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

        page.load(Files.writeString(browser.downloads.resolve("other.txt"), "no run"));
        page.awaitText("#error", "This file is not JSON");
    }

    @Test
    void mistakesAreExplainedInTheWordsOfTheSample() {
        page.fill("maxRequests", 0);
        page.press("Start");
        page.awaitText("#error", "max-requests '0' must be at least 1");
        page.fill("maxRequests", 10);
        page.fill("window", 3600);
        page.press("Start");
        page.awaitText("#error", "window '3600' must be at least 1 and at most 60");
        page.fill("window", "1h");
        page.press("Start");
        page.awaitText("#error", "Window '1h' is not a whole number.");
        page.fill("window", 10);
        page.fill("cost", 11);
        page.press("Start");
        page.awaitText("#error", "cost '11' can never fit");
        page.openMore();
        page.fill("cost", 1);
        page.fill("instance", "http://localhost:1");
        page.press("Start");
        page.awaitText("#error", "http://localhost:1 does not answer: start it, or correct the address.");
    }

    @Test
    void theKeyboardAloneIsEnough() {
        page.choose("Boundary burst");
        browser.driver.switchTo().activeElement().sendKeys(Keys.ARROW_RIGHT);
        page.awaitText("#shape-text", "at one instant");
        page.fill("window", 1);
        page.fill("seconds", 1);
        browser.driver.switchTo().activeElement().sendKeys(Keys.ENTER);
        page.awaitDone();
        assertThat(page.refused("sliding-window-log")).isEqualTo(2);
    }

    private void photograph() {
        browser.screenshot("light");
        assertThat(browser.violations()).isEmpty();
        browser.look(true, Browser.DESKTOP);
        browser.screenshot("dark");
        assertThat(browser.violations()).isEmpty();
        browser.look(false, Browser.PHONE);
        browser.screenshot("phone");
        assertThat(browser.violations()).isEmpty();
        assertThat(browser.driver.executeScript("return document.documentElement.scrollWidth"))
                .isEqualTo((long) Browser.PHONE);
    }
}
