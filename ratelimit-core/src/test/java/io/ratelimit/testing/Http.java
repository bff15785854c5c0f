package io.ratelimit.testing;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls over HTTP. */
public final class Http {

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Http() {}

    /** What came back. */
    public record Answer(int status, HttpHeaders headers, String body) {

        /** First value of that header; null if there is none. */
        public String header(String name) {
            return headers.firstValue(name).orElse(null);
        }
    }

    /**
     * Calls.
     *
     * @param headers name, value, name, value
     */
    public static Answer send(String method, String uri, String... headers) {
        return send(method, uri, BodyPublishers.noBody(), headers);
    }

    /** The same with a body. */
    public static Answer post(String uri, String body, String... headers) {
        return send("POST", uri, BodyPublishers.ofString(body), headers);
    }

    /** Sends a request and does not wait for the answer, which may never come. */
    public static void begin(String method, String uri, String... headers) {
        CLIENT.sendAsync(request(method, uri, BodyPublishers.noBody(), headers).build(), BodyHandlers.discarding());
    }

    private static HttpRequest.Builder request(String method, String uri, BodyPublisher body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri)).method(method, body);
        return headers.length > 0 ? request.headers(headers) : request;
    }

    /** The whole answer has a minute: the timeout of a request ends with its headers. */
    private static Answer send(String method, String uri, BodyPublisher body, String... headers) {
        HttpRequest request = request(method, uri, body, headers).build();
        try {
            HttpResponse<String> response =
                    CLIENT.sendAsync(request, BodyHandlers.ofString()).get(1, TimeUnit.MINUTES);
            return new Answer(response.statusCode(), response.headers(), response.body());
        } catch (ExecutionException | TimeoutException failed) {
            throw new IllegalStateException("no answer from " + uri, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
