package io.ratelimit.sample.playground;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

/** The page in a browser, beside a sample whose time goes on as the page asks for it. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(VirtualTime.class)
@Tag("browser")
abstract class PageTest {

    static Browser browser;

    @LocalServerPort
    int port;

    PlaygroundPage page;

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
}
