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
}
