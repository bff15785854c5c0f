package io.ratelimit;

/**
 * The store gave no answer: it cannot be reached, was too slow, or failed. Nothing was decided.
 *
 * <p>Has no stack trace of its own, because in an outage there is one for each call and taking traces would cost more
 * than deciding. Its cause, if there is one, says where the failure came from.
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
