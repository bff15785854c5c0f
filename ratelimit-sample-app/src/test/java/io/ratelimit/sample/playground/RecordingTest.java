package io.ratelimit.sample.playground;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Makes the recorded run and the pictures of {@code docs/}. */
@Tag("slow")
class RecordingTest extends RedisPageTest {

    /** By real clocks, so a busy machine may be too slow for the counter's 55; where the docs are renewed it must not. */
    @Test
    void theRecordedRunIsDecidedByRedisInRealTime() throws IOException {
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
}
