package io.ratelimit.sample.playground;

import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.springframework.util.FileSystemUtils;

/** Chromium without a window, as it is installed on this machine. */
final class Browser implements AutoCloseable {

    static final int DESKTOP = 1280;
    static final int PHONE = 390;

    final ChromeDriver driver;
    final Path downloads;

    private Browser(ChromeDriver driver, Path downloads) {
        this.driver = driver;
        this.downloads = downloads;
    }

    /** Starts one. Skips the test and says why where there is none. */
    static Browser start() {
        Optional<File> chromium = onPath("chromium", "chromium-browser", "google-chrome");
        Optional<File> chromedriver = onPath("chromedriver");
        Assumptions.assumeTrue(
                chromium.isPresent() && chromedriver.isPresent(),
                "The playground page was not tested: install chromium and chromedriver (Debian: chromium chromium-driver)");
        try {
            Path downloads = Files.createTempDirectory("playground-downloads");
            ChromeOptions options = new ChromeOptions();
            options.setBinary(chromium.orElseThrow());
            options.addArguments(
                    "--headless",
                    "--no-sandbox", // which root, as in a container, has to do without
                    "--hide-scrollbars",
                    "--disable-gpu",
                    "--disable-quic",
                    "--disable-dev-shm-usage",
                    "--no-first-run",
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-sync");
            options.setExperimentalOption("prefs", Map.of("download.default_directory", downloads.toString()));
            ChromeDriverService service = new ChromeDriverService.Builder()
                    .usingDriverExecutable(chromedriver.orElseThrow())
                    .build();
            return new Browser(new ChromeDriver(service, options), downloads);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    void look(boolean dark, int width) {
        media("prefers-color-scheme", dark ? "dark" : "light");
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1.5, "mobile", width == PHONE));
    }

    /** Answers a media query, and all others as they are by default. */
    void media(String name, String value) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia", Map.of("features", List.of(Map.of("name", name, "value", value))));
    }

    /** Lets this much time of the page pass as fast as it can. */
    void hurry(Duration time) {
        driver.executeCdpCommand(
                "Emulation.setVirtualTimePolicy", Map.of("policy", "advance", "budget", time.toMillis()));
    }

    /** Writes what the page shows, all of it, to the docs if the run is to renew them, else to the build's folder. */
    void screenshot(String name) {
        Object data = driver.executeCdpCommand(
                        "Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true))
                .get("data");
        Docs.write(name + ".png", Base64.getDecoder().decode((String) data));
    }

    /** Returns what axe finds, with everything unfolded. */
    List<String> violations() {
        driver.executeScript("document.querySelectorAll('details').forEach(each => each.open = true)");
        List<String> found = new AxeBuilder()
                .analyze(driver).getViolations().stream().map(Rule::toString).toList();
        driver.executeScript("document.querySelectorAll('details').forEach(each => each.open = false)");
        return found;
    }

    /** Returns the URLs of all that the page has loaded or asked. */
    @SuppressWarnings("unchecked")
    List<String> resources() {
        return (List<String>)
                driver.executeScript(
                        "return performance.getEntriesByType('resource').map(each => each.name).filter(url => !url.startsWith('data:'))");
    }

    void forgetDownloads() {
        try {
            FileSystemUtils.deleteRecursively(downloads);
            Files.createDirectory(downloads);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }

    private static Optional<File> onPath(String... names) {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.of(names)
                .flatMap(name -> Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                        .splitAsStream(path)
                        .map(folder -> new File(folder, name)))
                .filter(File::canExecute)
                .findFirst();
    }
}
