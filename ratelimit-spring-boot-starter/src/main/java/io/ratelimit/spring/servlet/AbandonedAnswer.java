package io.ratelimit.spring.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** An answer that a handler had begun when it was refused. */
final class AbandonedAnswer {

    /** What describes the answer, besides all of {@code Content-*}. Cookies, CORS and security headers stay. */
    private static final Set<String> DESCRIPTION = Set.of(
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

    private AbandonedAnswer() {}

    /** Forgets status, body, an open writer, and the headers that describe the answer. */
    static void reset(HttpServletResponse response) {
        Map<String, List<String>> kept = new LinkedHashMap<>();
        for (String name : response.getHeaderNames()) {
            if (!describes(name.toLowerCase(Locale.ROOT))) {
                kept.putIfAbsent(name, new ArrayList<>(response.getHeaders(name)));
            }
        }
        response.reset();
        kept.forEach((name, values) -> {
            response.setHeader(name, values.get(0));
            values.subList(1, values.size()).forEach(value -> response.addHeader(name, value));
        });
    }

    private static boolean describes(String name) {
        return (name.startsWith("content-") && !name.startsWith("content-security-")) || DESCRIPTION.contains(name);
    }
}
