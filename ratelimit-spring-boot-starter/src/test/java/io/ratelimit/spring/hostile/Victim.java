package io.ratelimit.spring.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;

/** Somebody who calls now and then while others attack, and finds no request missing. Not thread-safe. */
final class Victim implements AutoCloseable {

    static final String ADDRESS = "203.0.113.7";

    private static final List<String> REQUESTS = List.of(
            "GET /header/x HTTP/1.1\r\nHost: h\r\nX-User: victim\r\n",
            "GET /param/x?user=victim HTTP/1.1\r\nHost: h\r\n",
            "GET /cookie/x HTTP/1.1\r\nHost: h\r\nCookie: user=victim\r\n",
            "GET /spel/x HTTP/1.1\r\nHost: h\r\nX-User: _victim\r\n",
            "GET /ip/x HTTP/1.1\r\nHost: h\r\n");

    private final RawClient proxy;
    private int rounds;

    /** Comes through the trusted proxy. */
    Victim(int port) {
        this.proxy = new RawClient(port);
    }

    /** One call for each kind of key: it is the next one, whatever has happened since the last. */
    void call() throws IOException {
        rounds++;
        for (String request : REQUESTS) {
            String text = request + "X-Forwarded-For: " + ADDRESS + "\r\n\r\n";
            RawResponse response =
                    proxy.send(new RawRequest("GET", text, false)).get(0);
            assertThat(response.status()).as(request).isEqualTo(200);
            assertThat(response.header("RateLimit")).as(request).contains(";r=" + (Target.QUOTA - rounds) + ";");
        }
    }

    int calls() {
        return rounds * REQUESTS.size();
    }

    @Override
    public void close() throws IOException {
        proxy.close();
    }
}
