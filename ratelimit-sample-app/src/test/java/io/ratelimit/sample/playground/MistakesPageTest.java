package io.ratelimit.sample.playground;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

/** What cannot work is said as text, before anything is drawn. */
class MistakesPageTest extends PageTest {

    @Test
    void mistakesAreExplained() {
        mistake("maxRequests", "0", "Limit '0' must be at least 1 and at most 1000 requests");
        mistake("maxRequests", "1,000", "Limit '1,000' is not a whole number: write digits only");
        mistake("maxRequests", "0x10", "Limit '0x10' is not a whole number");
        mistake("maxRequests", "99999999999999999999", "must be at least 1 and at most 1000 requests");
        page.fill("maxRequests", 10);
        mistake("window", "3600", "Window '3600' must be at least 1 and at most 60");
        mistake("window", "1h", "Window '1h' is not a whole number");
        mistake("window", "", "Window '' is not a whole number");
        page.fill("window", 10);
        mistake("cost", "11", "cost '11' can never fit");
        page.fill("cost", 1);
        page.choose("Steady");
        mistake("rate", "1,5", "Rate '1,5' is not a number: write digits and a point");
    }

    @Test
    void aSecondInstanceThatIsNoneIsExplained() throws IOException {
        page.openMore();
        mistake("instance", "localhost:8081", "Second instance 'localhost:8081' is not an address on this machine");
        mistake("instance", "http://localhost:1/nothing", "is not an address on this machine");
        mistake("instance", "http://localhost:1@example.org", "is not an address on this machine");
        mistake(
                "instance",
                "http://localhost:1",
                "http://localhost:1 does not answer: start it, or correct the address.");
        mistake("instance", "http://127.0.0.1:" + port, "is the instance that serves this page");
        HttpServer other = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        other.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Access-Control-Allow-Origin", "*");
            exchange.sendResponseHeaders(404, -1);
        });
        other.start();
        mistake("instance", "http://localhost:" + other.getAddress().getPort(), "is not the sample: it answered 404");
        other.stop(0);
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("localhost"))) {
            mistake("instance", "http://localhost:" + silent.getLocalPort(), "has not answered for 5 s");
        }
        assertThat(page.text("#lanes")).isEmpty();
    }

    @Test
    void theFieldToCorrectIsMarkedFocusedAndInSight() {
        String focused = "document.activeElement.name";
        String described =
                "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent";
        mistake("window", "1h", "Window '1h' is not a whole number");
        assertThat(page.find(focused)).isEqualTo("window");
        assertThat(page.find(described)).asString().contains("Window '1h'");

        page.fill("window", 10);
        page.openMore();
        page.fill("instance", "here");
        page.openMore();
        page.press("Start");
        page.awaitText("#error", "Second instance 'here' is not an address");
        assertThat(page.find(focused)).isEqualTo("instance");
        assertThat(page.find("document.querySelectorAll('[aria-invalid]').length"))
                .isEqualTo(1L);
        assertThat(browser.violations()).isEmpty();
    }

    @Test
    void aLongMistakeStaysWithinAPhonesWidth() {
        browser.look(false, Browser.PHONE);
        mistake("maxRequests", "9".repeat(200), "must be at least 1 and at most 1000 requests");
        assertThat(page.find("document.documentElement.scrollWidth")).isEqualTo((long) Browser.PHONE);
    }

    private void mistake(String field, String value, String message) {
        page.fill(field, value);
        page.press("Start");
        page.awaitText("#error", message);
        page.awaitText("#start", "Start");
    }
}
