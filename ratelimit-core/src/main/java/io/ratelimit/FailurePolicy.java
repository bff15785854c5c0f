package io.ratelimit;

/** What happens to a call while the store does not answer. */
public enum FailurePolicy {
    /** The same limits are counted in this process's memory. */
    LOCAL,
    /** The call is allowed. */
    OPEN,
    /** The call fails with {@link StoreUnavailableException}, in a web application a 503. */
    CLOSED;

    /** The one of the two that lets less through. */
    public FailurePolicy stricter(FailurePolicy other) {
        if (this == CLOSED || other == CLOSED) {
            return CLOSED;
        }
        return this == LOCAL ? LOCAL : other;
    }
}
