package io.ratelimit;

/**
 * Thrown if the store did not answer: it could not be reached, was too slow, or failed. Nothing was decided.
 *
 * <p>The exception has no stack trace of its own, because an outage throws one for each call and filling in traces
 * would cost more than a decision. Its cause, if there is one, has a trace.
 */
public final class StoreUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public StoreUnavailableException(String message) {
        super(message, null, true, false);
    }

    public StoreUnavailableException(String message, Throwable cause) {
        super(message, cause, true, false);
    }
}
