package io.ratelimit.lab;

import java.util.OptionalLong;

/**
 * One call as it was recorded. It was decided between two times of the store's clock; both are the same where the
 * limiter says when.
 *
 * @param cost what it really cost
 * @param tookNanos how long the caller waited for the answer
 */
record Call(
        long fromMicros,
        long toMicros,
        int subject,
        long cost,
        Outcome outcome,
        OptionalLong retryAfterMicros,
        long tookNanos) {

    enum Outcome {
        ALLOWED,
        REFUSED,
        /** The limiter threw an exception, or did not answer in time. */
        FAILED
    }

    boolean isAllowed() {
        return outcome == Outcome.ALLOWED;
    }

    long middleMicros() {
        return fromMicros + (toMicros - fromMicros) / 2;
    }

    /** As if the clock had begun so much later. */
    Call shifted(long micros) {
        return new Call(fromMicros - micros, toMicros - micros, subject, cost, outcome, retryAfterMicros, tookNanos);
    }
}
