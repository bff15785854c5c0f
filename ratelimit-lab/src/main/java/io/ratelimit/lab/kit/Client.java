package io.ratelimit.lab.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Calls the limiter as any client would. Thread-safe. */
final class Client {

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final KitOptions options;

    Client(KitOptions options) {
        this.options = options;
    }

    /** A subject that nobody has used. */
    static String newSubject() {
        return "kit-" + UUID.randomUUID();
    }

    HttpResponse<String> call(String subject) {
        return call(options.url(), subject);
    }

    HttpResponse<String> call(URI url, String subject) {
        try {
            return http.send(request(url, subject), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException failed) {
            throw new UncheckedIOException("no answer from '%s'".formatted(url), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** All at once, to the addresses in turn. */
    List<HttpResponse<String>> callAtOnce(long calls, String subject, List<URI> urls) {
        List<CompletableFuture<HttpResponse<String>>> underWay = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            underWay.add(http.sendAsync(
                    request(urls.get(i % urls.size()), subject),
                    HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)));
        }
        return underWay.stream().map(CompletableFuture::join).toList();
    }

    /** Calls until a refusal, and at most twice as often as any window allows. */
    List<HttpResponse<String>> useUp(String subject) {
        List<HttpResponse<String>> answers = new ArrayList<>();
        do {
            answers.add(call(subject));
        } while (isAllowed(answers.get(answers.size() - 1)) && answers.size() <= 2 * options.inAnyWindow() + 1);
        return answers;
    }

    static boolean isAllowed(HttpResponse<String> response) {
        return response.statusCode() / 100 == 2;
    }

    static long allowed(List<HttpResponse<String>> responses) {
        return responses.stream().filter(Client::isAllowed).count();
    }

    private HttpRequest request(URI url, String subject) {
        return HttpRequest.newBuilder(url)
                .header(options.subjectHeader(), subject)
                .timeout(Duration.ofSeconds(10))
                .build();
    }
}
