package io.ratelimit.spring.internal.web;

import io.ratelimit.spring.RefusalHandler;
import io.ratelimit.spring.RefusalResponse;
import io.ratelimit.spring.RequestView;
import java.util.Date;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;

/**
 * Shapes the answer to refused requests, for the filter and for annotated methods alike: as a {@link RefusalHandler}
 * says, as a page for browsers, or as a problem; in the words of the application's messages. Thread-safe.
 */
public final class RefusalShape {

    private final ApplicationContext context;

    public RefusalShape(ApplicationContext context) {
        this.context = context;
    }

    /**
     * What to answer.
     *
     * @param message for an error view of the application's own, which may take the place of the body; null unless the
     *     answer is a page
     */
    public record Shaped(RefusalResponse response, @Nullable String message) {

        public boolean isPage() {
            return message != null;
        }

        /** What an error view is rendered with: as Spring Boot's error pages. */
        @SuppressWarnings("JavaUtilDate") // what those hold
        public Map<String, Object> model(String path) {
            return new HashMap<>(Map.of(
                    "timestamp",
                    new Date(),
                    "status",
                    response.status(),
                    "error",
                    HttpStatus.valueOf(response.status()).getReasonPhrase(),
                    "message",
                    Objects.requireNonNullElse(message, ""),
                    "path",
                    path));
        }
    }

    public Shaped shape(ProblemResponse problem, RequestView request, Locale locale) {
        String title = Objects.requireNonNullElse(message(problem, "title", locale), problem.title());
        String detail = message(problem, "detail", locale);
        RefusalResponse refusal = problem.response(title, detail);
        RefusalResponse own = handled(refusal, request);
        if (own != null) {
            return new Shaped(own, null);
        }
        return RefusalPage.isRequested(request.header("Accept"))
                ? new Shaped(RefusalPage.of(refusal, title, detail), detail == null ? title : detail)
                : new Shaped(refusal, null);
    }

    private @Nullable String message(ProblemResponse problem, String part, Locale locale) {
        Object[] seconds = {problem.headers().getOrDefault("Retry-After", "")};
        return context.getMessage("rate-limiter." + problem.code() + "." + part, seconds, null, locale);
    }

    private @Nullable RefusalResponse handled(RefusalResponse refusal, RequestView request) {
        return context.getBeanProvider(RefusalHandler.class)
                .orderedStream()
                .map(handler -> handler.handle(refusal, request))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
