package io.ratelimit.lab.partner;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.ratelimit.lab.Rate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A partner that enforces a limit and answers truly: 200, or 429 with {@code Retry-After} in whole seconds, rounded up, and
 * always {@code RateLimit}. Requests to {@code /warm-up} are not counted. Thread-safe.
 */
final class PartnerServer implements AutoCloseable {

    /** Is 1 in the first attempt of a request. */
    static final String ATTEMPT = "X-Attempt";

    private static final double NANOS = 1e9;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final PartnerWindow window;
    private final List<Arrival> arrivals = new ArrayList<>();

    private PartnerServer(HttpServer server, PartnerWindow window) {
        this.server = server;
        this.window = window;
    }

    static PartnerServer start(PartnerWindow.Kind kind, Rate rate) {
        try {
            HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            PartnerServer server = new PartnerServer(http, new PartnerWindow(kind, rate));
            http.createContext("/", server::count);
            http.createContext("/warm-up", exchange -> answer(exchange, true));
            http.setExecutor(server.threads);
            http.start();
            return server;
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot serve as a partner", failed);
        }
    }

    String host() {
        return "localhost:" + server.getAddress().getPort();
    }

    /** Returns all requests up to now, in the order in which they came. */
    List<Arrival> arrivals() {
        synchronized (window) {
            return List.copyOf(arrivals);
        }
    }

    private void count(HttpExchange exchange) throws IOException {
        boolean isRetry = !exchange.getRequestHeaders().getFirst(ATTEMPT).equals("1");
        boolean isAllowed;
        synchronized (window) {
            long nowNanos = System.nanoTime();
            isAllowed = window.take(nowNanos);
            long seconds = (long) Math.ceil(window.resetNanos(nowNanos) / NANOS);
            Headers headers = exchange.getResponseHeaders();
            headers.set("RateLimit", "\"partner\";r=%d;t=%d".formatted(window.remaining(), seconds));
            if (!isAllowed) {
                headers.set("Retry-After", Long.toString(seconds));
            }
            long untilNanos = isAllowed ? nowNanos : nowNanos + (long) (seconds * NANOS);
            arrivals.add(new Arrival(nowNanos, isRetry, isAllowed, untilNanos));
        }
        answer(exchange, isAllowed);
    }

    private static void answer(HttpExchange exchange, boolean isAllowed) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(isAllowed ? 200 : 429, -1);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
