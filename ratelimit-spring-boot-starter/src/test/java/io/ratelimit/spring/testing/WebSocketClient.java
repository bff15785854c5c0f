package io.ratelimit.spring.testing;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An open session of a WebSocket. Hears one text. */
public final class WebSocketClient implements AutoCloseable {

    private final CompletableFuture<String> heard = new CompletableFuture<>();
    private final WebSocket socket;

    /** Shakes hands with that path of an application. */
    public WebSocketClient(TestApp app, String path) {
        socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create("ws://localhost:" + app.port() + path), new WebSocket.Listener() {
                    @Override
                    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
                        heard.complete(text.toString());
                        return null;
                    }
                })
                .join();
    }

    /** Sends a text and returns the first one that is heard. */
    public String send(String text) {
        socket.sendText(text, true).join();
        return heard.orTimeout(1, TimeUnit.MINUTES).join();
    }

    @Override
    public void close() {
        socket.abort();
    }
}
