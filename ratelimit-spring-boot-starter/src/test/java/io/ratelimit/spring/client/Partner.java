package io.ratelimit.spring.client;

import com.sun.net.httpserver.HttpServer;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.Stack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.http.client.HttpClientAutoConfiguration;
import org.springframework.boot.autoconfigure.http.client.reactive.ClientHttpConnectorAutoConfiguration;
import org.springframework.boot.autoconfigure.web.client.RestClientAutoConfiguration;
import org.springframework.boot.autoconfigure.web.client.RestTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.web.reactive.function.client.WebClientAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.client.ReactorResourceFactory;

/** A partner that answers as the test says, and notes when each request arrived. */
final class Partner implements AutoCloseable {

    /** When each request arrived, by {@code System.nanoTime()}. */
    final List<Long> arrivals = new CopyOnWriteArrayList<>();

    private final HttpServer server;
    private volatile int status = 200;
    private volatile Map<String, String> headers = Map.of();

    Partner() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException taken) {
            throw new UncheckedIOException(taken);
        }
        server.createContext("/", exchange -> {
            arrivals.add(System.nanoTime());
            headers.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }

    /** Sets the status and headers of what follows. */
    void answers(int status, Map<String, String> headers) {
        this.status = status;
        this.headers = headers;
    }

    /** Returns an application with a client of two requests an hour to this, of each kind. */
    ApplicationContextRunner application() {
        return Contexts.plain()
                .withConfiguration(AutoConfigurations.of(
                        HttpClientAutoConfiguration.class,
                        ClientHttpConnectorAutoConfiguration.class,
                        RestClientAutoConfiguration.class,
                        RestTemplateAutoConfiguration.class,
                        WebClientAutoConfiguration.class))
                .withBean(ReactorResourceFactory.class, Stack::ownThreads)
                .withPropertyValues(
                        "rate-limiter.limits.partner.max-requests=2",
                        "rate-limiter.limits.partner.window-size=1h",
                        "rate-limiter.clients.shop.hosts=" + host(),
                        "rate-limiter.clients.shop.limits=partner");
    }

    int port() {
        return server.getAddress().getPort();
    }

    String host() {
        return "localhost:" + port();
    }

    String url() {
        return "http://" + host() + "/things";
    }

    /** Returns the same server under another name. */
    String urlOfAnotherHost() {
        return "http://127.0.0.1:" + port() + "/things";
    }

    int requests() {
        return arrivals.size();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
