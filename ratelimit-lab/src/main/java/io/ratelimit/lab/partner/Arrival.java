package io.ratelimit.lab.partner;

/**
 * A request as the partner saw it.
 *
 * @param isRetry whether it was answered 429 before
 * @param isAllowed whether it was answered 200, not 429
 * @param untilNanos the time before which nothing should be sent, as the answer says; the arrival itself if it was answered 200
 */
record Arrival(long atNanos, boolean isRetry, boolean isAllowed, long untilNanos) {}
