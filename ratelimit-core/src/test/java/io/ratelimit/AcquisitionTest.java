package io.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AcquisitionTest {

    private static final Limit HUNDRED = perMinute(100);

    /** The second shard of each of them has 50 requests. */
    @Test
    void whatIsHeldElsewhereCannotBeTakenInPart() {
        Limit limit = Limit.of("api", Algorithm.FIXED_WINDOW, 10, Duration.ofHours(1));

        assertThatThrownBy(() -> Acquisition.of(limit.withLease(5), "alice").upTo(3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "limit 'api' has lease '5', of which a call cannot take what is left: acquire it without upTo");
        assertThatThrownBy(() -> Acquisition.of(limit.withShards(2), "alice").upTo(3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has shards '2'");
    }

    @Test
    void twoSetsOfNumbersOfALimitWithShardsAreAnErrorForOneSubject() {
        Acquisition one = Acquisition.of(HUNDRED.withShards(2), "eve");

        for (Limit other : List.of(
                perMinute(101).withShards(2),
                perMinute(150).withShards(3),
                HUNDRED.withShards(2).withLease(10))) {
            assertThatThrownBy(() -> one.and(other, "eve"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "limit 'api' with '%d' shards was given twice for one subject, with other settings:"
                                    + " acquire them one after the other",
                            other.shards());
            assertThat(one.and(other, "acme").charges()).hasSize(2);
        }
    }

    @Test
    void aLimitWithShardsIsChargedTwiceToOneSubjectWithTheSameNumbersOrInAnotherWindow() {
        Acquisition one = Acquisition.of(HUNDRED.withShards(2), "eve");
        Limit hourly = Limit.of("api", Algorithm.FIXED_WINDOW, 100, Duration.ofHours(1));

        assertThat(one.and(HUNDRED.withShards(2), "eve").charges())
                .containsExactly(new Charge(HUNDRED.withShards(2), "eve", 2));
        assertThat(one.and(hourly.withShards(2), "eve").charges()).hasSize(2);
    }

    /** A store in memory counts both together. */
    @Test
    void aLimitWithShardsFitsBesideOneWithoutIfTheWholeQuotaHoldsBoth() {
        Acquisition sixty = Acquisition.of(HUNDRED, "eve", 60);

        assertThat(sixty.and(HUNDRED.withShards(2), "eve", 40).charges()).hasSize(2);
        assertThatThrownBy(() -> sixty.and(HUNDRED.withShards(2), "eve", 41))
                .isInstanceOf(CostExceedsCapacityException.class);
    }

    /** Compared pair by pair they would take an hour. */
    @Test
    @Timeout(60)
    void manyChargesAreMergedAndChecked() {
        Limit more = perMinute(200);
        List<Charge> charges = IntStream.range(0, 200_000)
                .mapToObj(i -> new Charge(i % 2 == 0 ? HUNDRED : more, "user" + i / 4, 20))
                .toList();

        assertThat(new Acquisition(charges).charges())
                .hasSize(100_000)
                .startsWith(
                        new Charge(HUNDRED, "user0", 40),
                        new Charge(more, "user0", 40),
                        new Charge(HUNDRED, "user1", 40));
        List<Charge> oneTooMuch = new ArrayList<>(charges);
        oneTooMuch.add(new Charge(HUNDRED, "user49999", 61));
        assertThatThrownBy(() -> new Acquisition(oneTooMuch)).isInstanceOf(CostExceedsCapacityException.class);
    }

    private static Limit perMinute(long maxRequests) {
        return Limit.of("api", Algorithm.FIXED_WINDOW, maxRequests, Duration.ofMinutes(1));
    }
}
