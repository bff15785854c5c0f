package io.ratelimit.benchmarks;

/** A rate limiter that is measured. Thread-safe. */
interface Contender extends AutoCloseable {

    String name();

    /** Decides once, and waits for the decision. */
    boolean tryAcquire(String subject);

    @Override
    default void close() {}
}
