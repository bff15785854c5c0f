package io.ratelimit.lab;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A contender as a service that the kit can call: 200 or 429, and {@code Retry-After} where the limiter says how long to
 * wait. A call of {@code /5} costs 5. What else an answer consists of is the lab's, not the contender's.
 */
final class ContenderServer implements AutoCloseable {

    static final String HEADER = "X-User";
    static final int WEIGHT = 5;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Limiter limiter;

    private ContenderServer(HttpServer server, Limiter limiter) {
        this.server = server;
        this.limiter = limiter;
    }

    static ContenderServer start(Limiter limiter) {
        try {
            HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            ContenderServer server = new ContenderServer(http, limiter);
            http.createContext("/", server::answer);
            http.setExecutor(server.threads);
            http.start();
            return server;
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot serve a contender", failed);
        }
    }

    String url(String path) {
        return "http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), path);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            try {
                answer(exchange, decide(exchange));
            } catch (RuntimeException failed) {
                send(exchange, 500, failed.toString());
            }
        }
    }

    private Answer decide(HttpExchange exchange) {
        long cost = exchange.getRequestURI().getPath().equals("/" + WEIGHT) ? WEIGHT : 1;
        return limiter.tryAcquire(exchange.getRequestHeaders().getFirst(HEADER), cost);
    }

    private static void answer(HttpExchange exchange, Answer answer) throws IOException {
        answer.retryAfterMicros()
                .ifPresent(micros -> exchange.getResponseHeaders()
                        .set("Retry-After", Long.toString(Math.max(1, (micros + 999_999) / 1_000_000))));
        send(exchange, answer.allowed() ? 200 : 429, answer.allowed() ? "allowed" : "refused");
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        limiter.close();
    }
}
