package io.ratelimit.lab.kit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * A limiter over HTTP whose faults are chosen. It admits so many calls of a subject, refuses, and forgets the subject
 * half a second after the first refusal; no other time matters, so a slow machine changes nothing.
 */
final class KitServer implements AutoCloseable {

    static final int LIMIT = 5;

    /** Below the second after which the kit asks again; longer than two calls at once are apart on a busy machine. */
    private static final long FORGETS_NANOS = 900_000_000;

    private final HttpServer server;
    private final Map<String, Integer> used = new HashMap<>();
    private final Map<String, Long> refusedNanos = new HashMap<>();
    final Map<String, String> refusalHeaders = new HashMap<>(Map.of(
            "Retry-After", "1",
            "Cache-Control", "no-store",
            "RateLimit-Policy", "\"lab\";q=5;w=3600",
            "RateLimit", "\"lab\";r=0;t=1"));
    int admits = LIMIT;
    int refusalStatus = 429;
    String refusalBody = "too many";
    boolean oneForAll;
    boolean forgets = true;

    KitServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    KitOptions options(String... more) {
        String[] all = new String[more.length + 5];
        all[0] = "--url=" + url("/");
        all[1] = "--header=X-User";
        all[2] = "--limit=" + LIMIT;
        all[3] = "--window=1h";
        all[4] = "--wait=0s";
        System.arraycopy(more, 0, all, 5, more.length);
        return KitOptions.parse(all);
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private synchronized void answer(HttpExchange exchange) throws IOException {
        String subject = oneForAll ? "all" : exchange.getRequestHeaders().getFirst("X-User");
        int cost = exchange.getRequestURI().getPath().equals("/two") ? 2 : 1;
        Long since = refusedNanos.get(subject);
        if (forgets && since != null && System.nanoTime() - since > FORGETS_NANOS) {
            used.remove(subject);
            refusedNanos.remove(subject);
        }
        if (used.getOrDefault(subject, 0) + cost <= admits) {
            used.merge(subject, cost, Integer::sum);
            send(exchange, 200, "ok");
        } else {
            refusedNanos.put(subject, System.nanoTime());
            refusalHeaders.forEach(exchange.getResponseHeaders()::set);
            send(exchange, refusalStatus, refusalBody);
        }
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
