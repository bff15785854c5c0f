package io.ratelimit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bans in memory and in Redis are those that the whole history of a subject asks for, over random histories. */
@ExtendWith(NoThreadsLeft.class)
class BanHistoriesTest {

    private static final int HISTORIES = 30;
    private static final int STEPS = 150;

    @Test
    void bansAreWhatTheWholeHistoryAsksFor() {
        SeededRandom random = SeededRandom.of("ban histories");
        int bans = 0;
        try (TwinStores twins = new TwinStores()) {
            for (int i = 0; i < HISTORIES; i++) {
                bans += new BanHistory(twins, random, "history-" + i).play(STEPS);
            }
        }
        assertThat(bans).as("calls of banned subjects").isGreaterThan(HISTORIES);
    }
}
