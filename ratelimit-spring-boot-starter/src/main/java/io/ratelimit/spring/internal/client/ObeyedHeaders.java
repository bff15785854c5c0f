package io.ratelimit.spring.internal.client;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A family of headers of answers, and how it is believed. Immutable and thread-safe.
 *
 * @param kind which family
 * @param suffix what follows the names of the headers, such as {@code -tokens}; empty for most
 */
public record ObeyedHeaders(Kind kind, String suffix) {

    /** The families. */
    public enum Kind {
        /** {@code Retry-After} of answers with 429 or 503. */
        RETRY_AFTER,
        /** {@code RateLimit} of the IETF's drafts, and the three headers of older ones. */
        RATELIMIT,
        /** {@code X-RateLimit-Remaining} and {@code X-RateLimit-Reset}. */
        X_RATELIMIT
    }

    private static final Pattern SUFFIXED = Pattern.compile("x-ratelimit(-[A-Za-z0-9_-]{1,40})?");

    /** Returns the family of that name; empty if there is none. */
    public static Optional<ObeyedHeaders> parse(String text) {
        return switch (text) {
            case "retry-after" -> Optional.of(new ObeyedHeaders(Kind.RETRY_AFTER, ""));
            case "ratelimit" -> Optional.of(new ObeyedHeaders(Kind.RATELIMIT, ""));
            default ->
                SUFFIXED.matcher(text).matches()
                        ? Optional.of(new ObeyedHeaders(Kind.X_RATELIMIT, text.substring("x-ratelimit".length())))
                        : Optional.empty();
        };
    }
}
