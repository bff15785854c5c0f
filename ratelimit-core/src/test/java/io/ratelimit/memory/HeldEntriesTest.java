package io.ratelimit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.internal.algorithm.Tally;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HeldEntriesTest {

    private static final long BYTES = 300;
    private static final Limit ONE = Limit.of("one", Algorithm.TOKEN_BUCKET, 1, Duration.ofSeconds(1));

    private final HeldEntries held = new HeldEntries(10 * BYTES);

    @Test
    void blocksThatAreOverMakeRoomThoughNobodyAsksHowManyThereAre() {
        for (int second = 0; second < 1_000; second++) {
            Entry blocked = new Entry(Tally.of(ONE.algorithm(), ONE.quota().window()));
            blocked.holdUntil((second + 1) * TestTime.SECOND);
            held.hold("subject " + second, blocked, BYTES, second * TestTime.SECOND);
            assertThat(held.names()).hasSizeLessThanOrEqualTo(11);
        }
    }

    @Test
    void blocksThatLastAreHeldThoughThereIsNoRoom() {
        for (int i = 0; i < 100; i++) {
            Entry blocked = new Entry(Tally.of(ONE.algorithm(), ONE.quota().window()));
            blocked.holdUntil(TestTime.MINUTE);
            held.hold("subject " + i, blocked, BYTES, 0);
        }
        assertThat(held.names()).hasSize(100);
    }

    @Test
    void anEntryThatWasHeldKeepsItsPlaceThoughThereIsNoRoom() {
        Entry blocked = new Entry(Tally.of(ONE.algorithm(), ONE.quota().window()));
        blocked.holdUntil(TestTime.MINUTE);
        for (int i = 0; i < 100; i++) {
            held.hold("subject " + i, blocked, BYTES, 0);
        }

        held.offer("subject 0", blocked, BYTES, 0);
        held.offer("another", blocked, BYTES, 0);

        assertThat(held.names()).hasSize(100).contains("subject 0").doesNotContain("another");
        held.offer("subject 0", blocked, BYTES + 1, 0);
        assertThat(held.names()).as("it has grown").hasSize(99);
    }
}
