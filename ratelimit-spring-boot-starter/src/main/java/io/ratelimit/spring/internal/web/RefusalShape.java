package io.ratelimit.spring.internal.web;

import io.ratelimit.spring.RefusalHandler;
import io.ratelimit.spring.RefusalResponse;
import io.ratelimit.spring.RequestView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.util.HtmlUtils;

/**
 * Shapes the answer to refused requests, for the filter and for annotated methods alike: as a {@link RefusalHandler}
 * says, as a page for browsers, or as a problem; in the words of the application's messages. Thread-safe.
 */
public final class RefusalShape {

    /** Headers that describe an answer, besides all of {@code Content-*}. Cookies, CORS and security headers stay. */
    private static final Set<String> ANSWER = Set.of(
            "accept-ranges",
            "age",
            "cache-control",
            "etag",
            "expires",
            "last-modified",
            "location",
            "pragma",
            "retry-after",
            "transfer-encoding");

    private final ApplicationContext context;

    public RefusalShape(ApplicationContext context) {
        this.context = context;
    }

    /** True if the header describes an answer that a handler had begun, and that the refusal takes the place of. */
    public static boolean replaces(String header) {
        String name = header.toLowerCase(Locale.ROOT);
        return (name.startsWith("content-") && !name.startsWith("content-security-")) || ANSWER.contains(name);
    }

    /**
     * The answer.
     *
     * @param message for an error view of the application's own, which may take the place of the body; null unless the
     *     answer is a page
     */
    public record Shaped(RefusalResponse response, @Nullable String message) {

        public boolean isPage() {
            return message != null;
        }

        /** Returns the model of an error view, as that of Spring Boot's error pages. */
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
        String code = "rate-limiter." + problem.code() + "." + part;
        String message = context.getMessage(code, seconds, null, locale);
        return code.equals(message) ? null : message; // spring.messages.use-code-as-default-message
    }

    private @Nullable RefusalResponse handled(RefusalResponse refusal, RequestView request) {
        return context.getBeanProvider(RefusalHandler.class)
                .orderedStream()
                .map(handler -> handler.handle(refusal, request))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** A plain page for browsers, if the application has no error view of its own. */
    private static final class RefusalPage {

        private static final String PAGE = """
                <!DOCTYPE html>
                <html>
                <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%1$s</title></head>
                <body style="font-family: sans-serif; margin: 3em">
                <h1>%1$s</h1>
                <p>%2$s</p>
                </body>
                </html>
                """;

        private RefusalPage() {}

        /** True if {@code Accept} names HTML, and nothing better that is JSON. */
        static boolean isRequested(@Nullable String accept) {
            if (accept == null) {
                return false;
            }
            try {
                List<MediaType> types = new ArrayList<>(MediaType.parseMediaTypes(accept));
                types.sort(
                        Comparator.comparingDouble(MediaType::getQualityValue).reversed());
                return types.stream()
                        .filter(type -> type.getQualityValue() > 0 && (isHtml(type) || isJson(type)))
                        .findFirst()
                        .map(RefusalPage::isHtml)
                        .orElse(false);
            } catch (InvalidMediaTypeException malformed) {
                return false;
            }
        }

        static RefusalResponse of(RefusalResponse refusal, String title, @Nullable String detail) {
            String retryAfter = refusal.headers().get("Retry-After");
            String text =
                    detail != null ? detail : retryAfter == null ? "" : "Please try again in " + retryAfter + " s.";
            return refusal.withBody(
                    "text/html;charset=UTF-8", PAGE.formatted(HtmlUtils.htmlEscape(title), HtmlUtils.htmlEscape(text)));
        }

        private static boolean isHtml(MediaType type) {
            return MediaType.TEXT_HTML.equalsTypeAndSubtype(type)
                    || MediaType.APPLICATION_XHTML_XML.equalsTypeAndSubtype(type);
        }

        private static boolean isJson(MediaType type) {
            return type.getSubtype().endsWith("json"); // application/*+json, too
        }
    }
}
