package io.ratelimit.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Processor time that was taken away since this was made, by a host that others use too: for which no promise of a time
 * can hold. As Linux counts it, in steps of 10 ms; none elsewhere.
 */
public final class StolenTime {

    private static final Path LINUX = Path.of("/proc/stat");
    private static final int STEAL = 8;
    private static final int TICK_MILLIS = 10;

    private final Duration before = sinceBoot();

    public static StolenTime fromNowOn() {
        return new StolenTime();
    }

    public Duration soFar() {
        return sinceBoot().minus(before);
    }

    private static Duration sinceBoot() {
        if (!Files.isReadable(LINUX)) {
            return Duration.ZERO;
        }
        try {
            String[] allProcessors = Files.readAllLines(LINUX).get(0).split("\\s+", -1);
            return Duration.ofMillis(TICK_MILLIS * Long.parseLong(allProcessors[STEAL]));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
