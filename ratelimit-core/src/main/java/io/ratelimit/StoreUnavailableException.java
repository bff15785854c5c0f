package io.ratelimit;

/** The store gave no answer: it cannot be reached, was too slow, or failed. Nothing was decided. */
public final class StoreUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public StoreUnavailableException(String message) {
        super(message);
    }

    public StoreUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
