package io.ratelimit.spring.key;

/** Thrown if a key asks for the principal before authentication; the route then decides after it. */
public final class NotAuthenticatedYetException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Without a stack trace, because every request of such a route throws it. */
    public NotAuthenticatedYetException() {
        super("the principal is not known before authentication", null, false, false);
    }
}
