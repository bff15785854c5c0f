package io.ratelimit.spring.internal.web;

import java.util.Locale;
import java.util.Set;

/** Headers of an answer that a handler had begun when it was refused. */
public final class AbandonedHeaders {

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

    private AbandonedHeaders() {}

    /** Whether the header describes the answer that is abandoned. */
    public static boolean contain(String header) {
        String name = header.toLowerCase(Locale.ROOT);
        return (name.startsWith("content-") && !name.startsWith("content-security-")) || DESCRIPTION.contains(name);
    }
}
