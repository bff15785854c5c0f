package io.ratelimit.spring;

import org.jspecify.annotations.Nullable;

/** A limit, route or annotation that cannot work. Stops the start of the application. */
public final class InvalidRateLimitException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String where;

    /**
     * Says where, what and what to do.
     *
     * @param where the property or the annotated method
     */
    public InvalidRateLimitException(String where, @Nullable String what, @Nullable Throwable cause) {
        super("%s: %s".formatted(where, what), cause);
        this.where = where;
    }

    public InvalidRateLimitException(String where, String what) {
        this(where, what, null);
    }

    /** The property or the annotated method. */
    public String where() {
        return where;
    }
}
