package io.ratelimit.redis;

/** Whether calls are sent to a Redis node. */
public enum BreakerState {
    /** Calls are sent. */
    CLOSED,
    /** The node has stopped answering and calls fail at once, until the next call after a pause is sent as a probe. */
    OPEN,
    /** A probe was sent and is not answered yet. */
    HALF_OPEN
}
