package io.ratelimit.spring;

/** Families of response headers that say how the limits stand. */
public enum HeaderFamily {
    /** {@code RateLimit-Policy} and {@code RateLimit}, of draft-ietf-httpapi-ratelimit-headers-11. */
    IETF,
    /** {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}. */
    X_RATELIMIT,
    /** No headers; stands alone. */
    NONE
}
