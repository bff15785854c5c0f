package io.ratelimit.spring.internal.rule;

/** Thrown if a request names what is no cost in the header that its route's cost is. Charges nothing. */
public final class InvalidCostException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Without a stack trace, because every request of a client may cause it. */
    InvalidCostException(String message) {
        super(message, null, false, false);
    }
}
