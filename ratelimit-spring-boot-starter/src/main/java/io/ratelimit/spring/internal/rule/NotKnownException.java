package io.ratelimit.spring.internal.rule;

/**
 * Thrown if an expression reads what is not known where it is evaluated: the principal before authentication, or the
 * arguments of a method that is not called. Keys, costs and conditions pass it on instead of falling back to a value.
 */
public final class NotKnownException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Without a stack trace, because every request of a route may throw it. */
    NotKnownException(String message) {
        super(message, null, false, false);
    }
}
