package io.ratelimit.spring;

import org.jspecify.annotations.Nullable;

/** A limit, route or annotation that cannot work. Stops the start of the application. */
public final class InvalidRateLimitException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final MessageCode code;
    private final String where;

    /**
     * Says where, what and what to do, after the code.
     *
     * @param where the property or the annotated method
     */
    public InvalidRateLimitException(MessageCode code, String where, @Nullable String what, @Nullable Throwable cause) {
        super("%s: %s: %s".formatted(code, where, what), cause);
        this.code = code;
        this.where = where;
    }

    public InvalidRateLimitException(MessageCode code, String where, String what) {
        this(code, where, what, null);
    }

    /** Returns the kind of mistake. */
    public MessageCode code() {
        return code;
    }

    /** Returns the property or the annotated method. */
    public String where() {
        return where;
    }
}
