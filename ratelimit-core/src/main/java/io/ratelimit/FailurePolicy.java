package io.ratelimit;

/** Decides what happens to a call that the store does not answer. */
public enum FailurePolicy {
    /** The same limits are counted in this process's memory; each instance admits up to the limit on its own. */
    LOCAL,
    /** The call is allowed, and nothing is counted. */
    OPEN,
    /** The call fails with {@link StoreUnavailableException}, in a web application a 503. */
    CLOSED;

    /** Returns the policy of the two that admits fewer calls. */
    public FailurePolicy stricter(FailurePolicy other) {
        if (this == CLOSED || other == CLOSED) {
            return CLOSED;
        }
        return this == LOCAL ? LOCAL : other;
    }
}
