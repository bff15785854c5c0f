package io.ratelimit.spring.internal.rule;

/** Thrown if a key reads the principal before authentication; the route then decides after it. */
final class NotAuthenticatedYetException extends NotKnownException {

    private static final long serialVersionUID = 1L;

    public NotAuthenticatedYetException() {
        super("the principal is not known before authentication");
    }
}
