package io.ratelimit.memory;

import io.ratelimit.testing.RecordedLoad;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever many threads are admitted in memory, by a clock that runs, keeps every limit. */
class AdmittedHistoriesTest {

    @Test
    void keepEveryLimit() {
        RecordedLoad load =
                RecordedLoad.run("histories in memory", Duration.ofSeconds(2), List.of(InMemoryRateLimiter.create()));

        load.assertKeptEveryLimit("In memory");
    }
}
