package io.ratelimit;

import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several limits and subjects in one acquisition: all are charged, or none is. */
public interface AllOrNothingContract extends StoreUnderTest {

    Limit BURST =
            Limit.of("burst", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1)).withBurst(20);
    Limit HOURLY = Limit.of("hourly", Algorithm.SLIDING_WINDOW_COUNTER, 30, Duration.ofHours(1));
    Limit TENANT = Limit.of("tenant", Algorithm.SLIDING_WINDOW_LOG, 40, Duration.ofMinutes(1));
    Limit EVERYBODY = Limit.of("everybody", Algorithm.FIXED_WINDOW, 50, Duration.ofMinutes(1));

    @Test
    default void anAllowedCallIsChargedToAllInTheOrderAsked() {
        Decision allowed = acquireAt(
                at("12:00:00"),
                Acquisition.of(BURST, "alice", 2)
                        .and(HOURLY, "alice")
                        .and(TENANT, "acme", 3)
                        .and(EVERYBODY, "all"));

        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.limits()).extracting(LimitStatus::limit).containsExactly(BURST, HOURLY, TENANT, EVERYBODY);
        assertThat(allowed.limits()).extracting(LimitStatus::remaining).containsExactly(18L, 29L, 37L, 49L);
        assertThat(allowed.remaining()).isEqualTo(18);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    default void aRefusalByAnyOfThemChargesNone(int refusing) {
        setClock(at("12:00:00"));
        List<Charge> charges = List.of(
                new Charge(BURST, "alice", 1),
                new Charge(HOURLY, "alice", 1),
                new Charge(TENANT, "acme", 1),
                new Charge(EVERYBODY, "all", 1));
        Charge full = charges.get(refusing);
        assertThat(admits(full.limit(), full.subject(), full.limit().capacity()))
                .isTrue();
        Acquisition all = new Acquisition(charges);
        Decision before = limiter().peek(all);

        Decision refused = limiter().acquire(all);

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.refusing()).extracting(LimitStatus::limit).containsExactly(full.limit());
        assertThat(refused.retryAfter())
                .isEqualTo(refused.limits().get(refusing).retryAfter());
        assertThat(refused).isEqualTo(before);
        assertThat(limiter().peek(all)).isEqualTo(before);
    }

    @Test
    default void theLongestWaitOfAllThatRefuseCounts() {
        setClock(at("12:00:00"));
        admits(BURST, "alice", 20);
        admits(TENANT, "acme", 40);

        Decision refused = limiter()
                .acquire(Acquisition.of(BURST, "alice").and(TENANT, "acme").and(HOURLY, "alice"));

        assertThat(refused.refusing()).extracting(LimitStatus::limit).containsExactly(BURST, TENANT);
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(1));
        assertThat(acquireAt(at("12:01:00"), Acquisition.of(BURST, "alice").and(TENANT, "acme"))
                        .allowed())
                .isTrue();
    }

    @Test
    default void oneLimitForTwoSubjectsCountsEach() {
        setClock(at("12:00:00"));
        admits(TENANT, "acme", 40);

        Acquisition both = Acquisition.of(TENANT, "acme").and(TENANT, "globex");

        assertThat(limiter().acquire(both).allowed()).isFalse();
        assertThat(remaining(TENANT, "globex")).isEqualTo(40);
    }

    @Test
    default void theSameLimitAskedTwiceIsOneChargeOfBothCosts() {
        setClock(at("12:00:00"));
        admits(TENANT, "acme", 37);

        Decision refused = limiter().acquire(Acquisition.of(TENANT, "acme", 2).and(TENANT, "acme", 2));
        Decision allowed = limiter().acquire(Acquisition.of(TENANT, "acme", 2).and(TENANT, "acme"));

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.limits()).hasSize(1);
        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.remaining()).isZero();
        assertThatThrownBy(() -> Acquisition.of(TENANT, "acme", 30).and(TENANT, "acme", 11))
                .isInstanceOf(CostExceedsCapacityException.class)
                .hasMessageContaining("'tenant'")
                .hasMessageContaining("'41'");
    }

    @Test
    default void aTokenBucketAboveAnHourlyLimitStopsTheBurstFirstAndTheHourThen() {
        Acquisition layered = Acquisition.of(BURST, "alice").and(HOURLY, "alice");

        assertThat(allowedOf(25, layered, at("12:00:00"))).isEqualTo(20);
        assertThat(allowedOf(25, layered, at("12:01:00"))).isEqualTo(10);
        assertThat(limiter().peek(layered).refusing())
                .extracting(LimitStatus::limit)
                .containsExactly(HOURLY);
        assertThat(remaining(BURST, "alice")).isEqualTo(10);
        assertThat(acquireAt(at("12:59:00") + MINUTE, layered).allowed()).isFalse();
        assertThat(acquireAt(at("13:02:00") + 1, layered).allowed()).isTrue();
    }

    private long allowedOf(int calls, Acquisition acquisition, long micros) {
        return Stream.generate(() -> acquireAt(micros, acquisition))
                .limit(calls)
                .filter(Decision::allowed)
                .count();
    }
}
