package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bans in memory and in Redis are those that the whole history of a subject asks for, over random histories. */
@ExtendWith(NoThreadsLeft.class)
class BanHistoriesTest {

    private static final int HISTORIES = 300;
    private static final int STEPS = 150;

    @Test
    void bansAreWhatTheWholeHistoryAsksFor() {
        AtomicInteger bans = new AtomicInteger();
        try (TwinStores twins = new TwinStores()) {
            SeededRandom.each(
                    "ban histories",
                    HISTORIES,
                    random -> bans.addAndGet(new BanHistory(twins, random, twins.newName()).play(STEPS)));
        }
        assertThat(bans).as("calls of banned subjects").hasValueGreaterThan(SeededRandom.share(HISTORIES));
    }
}
