package io.ratelimit.lab.partner;

import java.time.Duration;

/** One instance of an application that calls the partner. Thread-safe. */
interface Instance extends AutoCloseable {

    /** Sends some requests that are not counted, so that code is compiled and connections are open. */
    void warmUp();

    /**
     * Sends a request when it may be sent, and waits until then.
     *
     * @param number 1 in the first attempt
     * @param patience how long it may wait at most
     */
    Attempt send(int number, Duration patience);

    /** Waits for as long as the partner asks for, if the contender does that itself. */
    default void refused(Duration retryAfter) {}

    @Override
    default void close() {}
}
