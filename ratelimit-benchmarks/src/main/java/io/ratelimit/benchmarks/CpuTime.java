package io.ratelimit.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * How much time the processors had so far, and how much of it a host that others use too has taken away, as Linux counts
 * it; nothing elsewhere.
 */
record CpuTime(long total, long stolen) {

    private static final Path LINUX = Path.of("/proc/stat");
    private static final int STEAL = 7;

    static CpuTime now() {
        if (!Files.isReadable(LINUX)) {
            return new CpuTime(0, 0);
        }
        long[] times = Stream.of(firstLine().replaceFirst("cpu\\s+", "").split(" "))
                .mapToLong(Long::parseLong)
                .limit(STEAL + 1)
                .toArray();
        return new CpuTime(Arrays.stream(times).sum(), times[STEAL]);
    }

    /** The part of all time that was taken away since then; 0 if that is not known. */
    double shareTakenSince(CpuTime start) {
        return total == start.total ? 0 : (double) (stolen - start.stolen) / (total - start.total);
    }

    /** What was taken away since then, in words. */
    String takenSince(CpuTime start) {
        return total == start.total ? "not known" : "%.0f %%".formatted(100 * shareTakenSince(start));
    }

    private static String firstLine() {
        try {
            return Files.readAllLines(LINUX).get(0);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
