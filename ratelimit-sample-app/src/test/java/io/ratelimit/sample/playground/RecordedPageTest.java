package io.ratelimit.sample.playground;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The recorded run in {@code docs/}. */
@Tag("browser")
class RecordedPageTest {

    private static final Path PAGE = Docs.FOLDER.resolve(RecordedPage.NAME);

    @Test
    void theRecordedPageIsThePageAsItIsNow() throws IOException {
        String page = RecordedPage.html(Files.readString(Docs.FOLDER.resolve(RecordedPage.RUN)));
        if (Docs.areRenewed()) {
            Docs.write(RecordedPage.NAME, page.getBytes(UTF_8));
        }
        assertThat(Files.readString(PAGE).equals(page))
                .as("docs/playground/recorded.html is up to date; mvn verify -Dplayground.docs=true renews it")
                .isTrue();
    }

    @Test
    void theRecordedPageOpensFromDisk() {
        try (Browser browser = Browser.start()) {
            browser.look(false, Browser.DESKTOP);
            PlaygroundPage page =
                    new PlaygroundPage(browser, PAGE.toAbsolutePath().toUri().toString());

            assertThat(page.allowed("fixed-window")).isEqualTo(100);
            assertThat(page.allowed("sliding-window-counter")).isEqualTo(55);
            assertThat(page.allowed("sliding-window-log")).isEqualTo(50);
            assertThat(browser.violations()).isEmpty();

            page.press("Play again");
            page.awaitText("#status", "Playing");
            page.awaitText("#fixed-window dd.allowed", "0");
            browser.hurry(Duration.ofMinutes(1));
            page.awaitDone();
            assertThat(page.allowed("fixed-window")).isEqualTo(100);
            assertThat(browser.resources()).isEmpty();
        }
    }
}
