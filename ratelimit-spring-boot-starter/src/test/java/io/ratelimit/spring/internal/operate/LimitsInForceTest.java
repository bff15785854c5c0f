package io.ratelimit.spring.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.live.Overrides;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LimitsInForceTest {

    private final Limits both = limits("kept", "removed");
    private final Limits one = limits("kept");

    @Test
    void areThoseOfOneMomentAlsoBesideARefreshThatRemovesALimit() {
        Queue<Limits> refreshed = new ArrayDeque<>(List.of(both));
        Limits live = new Limits(() -> refreshed.isEmpty() ? one : refreshed.remove());
        try (Overrides overrides = new Overrides(event -> {})) {
            LimitsInForce inForce = new LimitsInForce(live, List::of, Map::of, overrides);

            assertThat(inForce.limits()).extracting(Limit::name).containsExactly("kept", "removed");
            assertThat(inForce.limits()).extracting(Limit::name).containsExactly("kept");
        }
    }

    private static Limits limits(String... names) {
        return new Limits(Stream.of(names)
                .map(name -> Limit.of(name, Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1)))
                .toList());
    }
}
