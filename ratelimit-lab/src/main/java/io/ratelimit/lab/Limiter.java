package io.ratelimit.lab;

/** One instance of a contender, as an application has it. Thread-safe. */
public interface Limiter extends AutoCloseable {

    /** Decides once, and waits for the decision. */
    Answer tryAcquire(String subject, long cost);

    /** The {@link System#nanoTime} at which a window of this limiter began, or 0 if its windows are those of the clock. */
    default long windowOriginNanos() {
        return 0;
    }

    @Override
    default void close() {}
}
