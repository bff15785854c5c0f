package io.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.internal.call.LimitId;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LimitTest {

    private static final Quota QUOTA = new Quota(5, 1_000_000, 5);
    private static final Limit SHARDED = Limit.of("hot", Algorithm.SLIDING_WINDOW_LOG, 10, Duration.ofHours(1))
            .withShards(4);

    @Test
    @SuppressWarnings("NullAway") // what is tested
    void namesWhatIsMissing() {
        assertThatThrownBy(() -> new Limit("api", null, QUOTA))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("algorithm");
        assertThatThrownBy(() -> new Limit(null, Algorithm.FIXED_WINDOW, QUOTA))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("name");
        assertThatThrownBy(() -> new Limit("api", Algorithm.FIXED_WINDOW, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("quota");
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1_000_000_000_000L, 1_000_000_000_000L, Long.MAX_VALUE})
    void quotesTimesThatCannotBeCounted(long seconds) {
        Duration time = Duration.ofSeconds(seconds);
        Limit limit = Limit.of("api", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1));

        assertThatThrownBy(() -> Limit.of("api", Algorithm.FIXED_WINDOW, 5, time))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit 'api': window-size '%s' must be at least 1ms and at most 366d", time);
        assertThatThrownBy(() -> limit.withBan(1, time, Duration.ofMinutes(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit 'api': ban within '%s' must be at least 1ms and at most 366d", time);
        assertThatThrownBy(() -> limit.withBan(1, Duration.ofMinutes(1), time))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit 'api': ban for '%s' must be at least 1ms and at most 366d", time);
    }

    @Test
    void theShardsOfALimitSumUpToIt() {
        List<Limit> shards = IntStream.range(0, 4).mapToObj(SHARDED::shard).toList();

        assertThat(shards).extracting(Limit::maxRequests).containsExactly(3L, 3L, 2L, 2L);
        Limit bucket = Limit.of("b", Algorithm.TOKEN_BUCKET, 10, Duration.ofHours(1))
                .withBurst(23)
                .withShards(3);
        assertThat(IntStream.range(0, 3).mapToLong(i -> bucket.shard(i).capacity()))
                .containsExactly(8L, 8L, 7L);
        assertThat(IntStream.range(0, 3).mapToLong(i -> bucket.shard(i).maxRequests()))
                .containsExactly(4L, 3L, 3L);
    }

    @Test
    void aPlanHasOtherNumbersOverTheSameState() {
        Limit api = Limit.of("api", Algorithm.TOKEN_BUCKET, 100, Duration.ofHours(1))
                .withBurst(200)
                .withBan(3, Duration.ofMinutes(1), Duration.ofMinutes(1));
        Limit gold = api.withPlan("gold", 6_000, 9_000);

        assertThat(gold.plan()).contains("gold");
        assertThat(gold.quota()).isEqualTo(new Quota(6_000, 3_600_000_000L, 9_000));
        assertThat(LimitId.of(gold)).isEqualTo(LimitId.of(api));
        assertThat(gold.ban()).isEqualTo(api.ban());
        assertThat(api.withPlan("small", 10).capacity()).isEqualTo(10);
    }

    @Test
    void aPlanIsNamedAndNeedsTheQuotaInOnePlace() {
        assertThatThrownBy(() -> SHARDED.withPlan("gold", 20)).hasMessageContainingAll("'hot'", "'gold'", "shards '4'");
        assertThatThrownBy(() -> SHARDED.withShards(1).withLease(2).withPlan("gold", 20))
                .hasMessageContaining("lease '2'");
        assertThatThrownBy(() -> SHARDED.withShards(1).withPlan(" ", 20)).hasMessageContaining("name it");
        assertThatThrownBy(() -> SHARDED.withShards(1).withPlan("gold", 0)).hasMessageContaining("max-requests '0'");
    }

    @Test
    void aCostAboveWhatAShardHoldsIsAnError() {
        assertThatThrownBy(() -> Acquisition.of(SHARDED, "eve", 3))
                .isInstanceOf(CostExceedsCapacityException.class)
                .hasMessage("cost '3' can never fit limit 'hot', whose 4 shards hold 2 each: lower the cost or shards");
    }

    @Test
    void theWindowOfACounterHasSomePartsOfWholeMicroseconds() {
        Limit hourly = Limit.of("hourly", Algorithm.SLIDING_WINDOW_COUNTER, 100, Duration.ofHours(1));
        Limit inParts = hourly.withBuckets(3_600);

        assertThat(inParts.quota().window().partMicros()).isEqualTo(1_000_000);
        assertThat(inParts.withPlan("gold", 600).quota().window().buckets()).isEqualTo(3_600);
        assertThat(inParts.withShards(2).shard(1).quota().window().buckets()).isEqualTo(3_600);
        assertThat(LimitId.of(inParts)).isNotEqualTo(LimitId.of(hourly));
        assertThat(inParts.withBuckets(1)).isEqualTo(hourly);
        assertThatThrownBy(() -> hourly.withBuckets(3_601))
                .hasMessage("limit 'hourly': buckets '3601' must be at least 2 and at most 3600");
        assertThatThrownBy(() -> hourly.withBuckets(0)).hasMessageContaining("buckets '0'");
        assertThatThrownBy(() -> hourly.withBuckets(7))
                .hasMessage("limit 'hourly': buckets '7' do not divide window-size '1h' into whole µs:"
                        + " use '6', the nearest number that does");
        Limit odd = Limit.of("odd", Algorithm.SLIDING_WINDOW_COUNTER, 100, Duration.ofNanos(1_000_003_000));
        assertThatThrownBy(() -> odd.withBuckets(2)).hasMessageContaining("no number does, so change window-size");
        assertThatThrownBy(() -> Limit.of("log", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofHours(1))
                        .withBuckets(6))
                .hasMessageContaining("buckets '6' are not supported by sliding-window-log");
    }

    @Test
    void manyDistinctElementsAreForAnEstimate() {
        assertThatThrownBy(() -> Limit.of("visitors", Algorithm.UNIQUE_COUNT, 1_000_000, Duration.ofDays(1)))
                .hasMessage(
                        "limit 'visitors': max-requests '1000000' of unique-count must be at most 100000: lower it, or"
                                + " set approximate: true if an estimate will do");
        Limit visitors =
                Limit.of("visitors", Algorithm.APPROXIMATE_UNIQUE_COUNT, Quota.MOST_REQUESTS, Duration.ofDays(1));
        assertThat(visitors.maxRequests()).isEqualTo(Quota.MOST_REQUESTS);
        assertThatThrownBy(() -> visitors.withShards(2)).hasMessageContaining("approximate-unique-count: leave it out");
    }
}
