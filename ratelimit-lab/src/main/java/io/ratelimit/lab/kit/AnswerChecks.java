package io.ratelimit.lab.kit;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is checked of how a limiter answers. */
final class AnswerChecks {

    private static final long LONGEST_WAIT_SECONDS = 120;

    private final Client client;
    private final KitOptions options;

    AnswerChecks(KitOptions options, Client client) {
        this.options = options;
        this.client = client;
    }

    List<Mark> run() {
        String subject = Client.newSubject();
        List<HttpResponse<String>> answers = client.useUp(subject);
        HttpResponse<String> allowed = answers.get(0);
        HttpResponse<String> refused = answers.get(answers.size() - 1);
        List<Mark> marks = new ArrayList<>();
        if (Client.isAllowed(refused)) {
            List.of("refused with 429", "body", "not stored", "Retry-After", "Retry-After is never early", "headers")
                    .forEach(name -> marks.add(Mark.notPossible(name, "no call was refused")));
            return marks;
        }
        Optional<String> wait = refused.headers().firstValue("Retry-After");
        Checks.add(marks, "Retry-After is never early", () -> neverEarly(subject, wait));
        marks.add(0, status(refused));
        marks.add(1, Mark.of("body", !refused.body().isBlank(), refused.body().length() + " characters"));
        marks.add(2, notStored(refused));
        marks.add(3, retryAfter(wait));
        marks.add(headers(allowed, refused));
        return marks;
    }

    private static Mark status(HttpResponse<String> refused) {
        return Mark.of("refused with 429", refused.statusCode() == 429, "status " + refused.statusCode());
    }

    private static Mark notStored(HttpResponse<String> refused) {
        String cacheControl = refused.headers().firstValue("Cache-Control").orElse("");
        return Mark.of(
                "not stored",
                cacheControl.contains("no-store"),
                cacheControl.isEmpty()
                        ? "no Cache-Control; RFC 6585 forbids caches to store a 429, but not all know"
                        : "Cache-Control: " + cacheControl);
    }

    private static Mark retryAfter(Optional<String> wait) {
        return Mark.of(
                "Retry-After",
                wait.isPresent() && wait.get().matches("[1-9]\\d*"),
                wait.map(value -> "Retry-After: " + value).orElse("there is none"));
    }

    /** A client that waits exactly so long is admitted. */
    private Mark neverEarly(String subject, Optional<String> wait) {
        String name = "Retry-After is never early";
        if (wait.isEmpty() || !wait.get().matches("\\d{1,6}")) {
            return Mark.notPossible(name, "there is no Retry-After in seconds");
        }
        long seconds = Long.parseLong(wait.get());
        if (seconds > Math.max(LONGEST_WAIT_SECONDS, options.untilWhole().toSeconds())) {
            return Mark.notPossible(name, "it says %d s, which is longer than the kit waits".formatted(seconds));
        }
        Checks.sleepMillis(seconds * 1_000);
        HttpResponse<String> again = client.call(subject);
        return Mark.of(name, Client.isAllowed(again), "after %d s status %d".formatted(seconds, again.statusCode()));
    }

    private static Mark headers(HttpResponse<String> allowed, HttpResponse<String> refused) {
        HeaderCheck onAllowed = HeaderCheck.of(allowed.headers());
        HeaderCheck onRefused = HeaderCheck.of(refused.headers());
        List<String> errors = new ArrayList<>(onAllowed.errors());
        errors.addAll(onRefused.errors());
        if (onAllowed.spellings().isEmpty() && onRefused.spellings().isEmpty()) {
            return Mark.notPossible("headers", "no rate limit headers");
        }
        return Mark.of(
                "headers",
                errors.isEmpty(),
                errors.isEmpty()
                        ? "admitted: %s; refused: %s"
                                .formatted(
                                        String.join(", ", onAllowed.spellings()),
                                        String.join(", ", onRefused.spellings()))
                        : String.join("; ", errors));
    }
}
