package io.ratelimit.spring.internal.rule;

/** Thrown instead of a decision for a request that {@code deny} lists. Nothing is charged. */
public final class RequestDeniedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Has no stack trace, because a flood of such requests would pay for it. */
    RequestDeniedException() {
        super("the request is denied", null, false, false);
    }
}
