package io.ratelimit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How long threads are ready to run but wait for a processor, as Linux counts it. */
final class ProcessorWait {

    private static final Path OF_THIS_THREAD = Path.of("/proc/thread-self/schedstat");
    private static final boolean COUNTED = Files.exists(OF_THIS_THREAD);

    private ProcessorWait() {}

    /** Returns the sum of the current thread, which must not be a virtual one; 0 if the system does not count it. */
    static long nanos() {
        if (!COUNTED) {
            return 0;
        }
        try {
            String numbers = Files.readString(OF_THIS_THREAD);
            int second = numbers.indexOf(' ') + 1;
            return Long.parseLong(numbers, second, numbers.indexOf(' ', second), 10);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
