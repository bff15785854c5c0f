package io.ratelimit.memory;

import io.ratelimit.testing.RecordedLoad;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever many threads are admitted in memory, by a clock that runs, keeps every limit. */
class AdmittedHistoriesTest {

    @Test
    void keepEveryLimit() {
        assertKeepEveryLimit(Duration.ofMillis(500));
    }

    @Test
    @Tag("slow")
    void longerOnesDoToo() {
        assertKeepEveryLimit(Duration.ofSeconds(5));
    }

    private static void assertKeepEveryLimit(Duration length) {
        RecordedLoad load = RecordedLoad.run("histories in memory", length, List.of(InMemoryRateLimiter.create()));

        load.assertKeptEveryLimit("In memory");
    }
}
