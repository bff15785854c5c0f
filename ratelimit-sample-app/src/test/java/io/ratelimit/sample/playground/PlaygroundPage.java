package io.ratelimit.sample.playground;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.support.ui.Select;

/** What a person can do on the page, and see. */
final class PlaygroundPage {

    private final Browser browser;
    private final ChromeDriver driver;

    PlaygroundPage(Browser browser, String url) {
        this.browser = browser;
        this.driver = browser.driver;
        driver.get(url);
        awaitText("#store", "in ");
    }

    void choose(String shape) {
        driver.findElement(By.xpath("//*[@id='shapes']//label[normalize-space()='" + shape + "']"))
                .click();
    }

    void fill(String field, Object value) {
        WebElement input = driver.findElement(By.name(field));
        input.clear();
        input.sendKeys(String.valueOf(value));
    }

    void openMore() {
        driver.findElement(By.cssSelector("form summary")).click();
    }

    void policy(String policy) {
        new Select(driver.findElement(By.name("onStoreFailure"))).selectByValue(policy);
    }

    void press(String button) {
        driver.findElement(By.xpath("//button[normalize-space()='" + button + "']"))
                .click();
    }

    void run() {
        press("Start");
        awaitDone();
    }

    void awaitDone() {
        awaitText("#status", "Done.");
    }

    /** Ends a run before its time, which may not take as long as what it waits for. */
    void stop() {
        press("Stop");
        Awaitility.await("the end of the run")
                .atMost(Duration.ofSeconds(20))
                .until(() -> text("#status").startsWith("Stopped."));
    }

    void awaitText(String selector, String part) {
        awaitCondition(selector + " shows '" + part + "'", () -> text(selector).contains(part));
    }

    void awaitCondition(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(100))
                .until(condition);
    }

    String text(String selector) {
        return (String)
                driver.executeScript("return document.querySelector(arguments[0])?.textContent ?? ''", selector);
    }

    long allowed(String lane) {
        return Long.parseLong(text("#" + lane + " dd.allowed"));
    }

    long refused(String lane) {
        return Long.parseLong(text("#" + lane + " dd.refused"));
    }

    /** Unfolds the table of a lane and returns how many decisions it shows. */
    long rows(String lane) {
        driver.executeScript("document.querySelector(`#${arguments[0]} .table`).open = true", lane);
        return (long) find("document.querySelectorAll(`#${arguments[0]} tbody tr`).length", lane);
    }

    /** Returns what an expression finds on the page. */
    Object find(String expression, Object... arguments) {
        return Objects.requireNonNull(driver.executeScript("return " + expression, arguments), expression);
    }

    @SuppressWarnings("unchecked")
    void clickFirstDot(String lane, String kind) {
        WebElement canvas = driver.findElement(By.cssSelector("#" + lane + " canvas"));
        List<Number> dot = (List<Number>) driver.executeScript("""
                arguments[0].scrollIntoView({ block: "center" });
                const chart = Chart.getChart(arguments[0]);
                const { x, y } = chart.getDatasetMeta(chart.data.datasets.findIndex((set) => set.id === arguments[1])).data[0];
                return [x - chart.width / 2, y - chart.height / 2];
                """, canvas, kind);
        new Actions(driver)
                .moveToElement(canvas, dot.get(0).intValue(), dot.get(1).intValue())
                .click()
                .perform();
    }

    /** Saves the run and reads the file. */
    JsonNode save() {
        return json(saveFile());
    }

    Path saveFile() {
        press("Save run");
        List<Path> files = Awaitility.await("the saved run").until(this::downloads, found -> !found.isEmpty());
        return files.get(0);
    }

    void load(Path file) {
        driver.findElement(By.id("load")).sendKeys(file.toAbsolutePath().toString());
    }

    static JsonNode json(Path file) {
        try {
            return new ObjectMapper().readTree(file.toFile());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private List<Path> downloads() {
        try (Stream<Path> files = Files.list(browser.downloads)) {
            return files.filter(file -> file.toString().endsWith(".json")).toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
