package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Java and Lua count the same elements over random schedules, and no more of a window than a set does. */
@ExtendWith(NoThreadsLeft.class)
class UniqueCountTwinsTest {

    private static final Duration WINDOW = Duration.ofMinutes(10);

    @Test
    void javaAndLuaAnswerTheSame() {
        try (TwinStores twins = new TwinStores()) {
            SeededRandom.each("unique twins", 200, random -> play(Algorithm.UNIQUE_COUNT, twins, random));
        }
    }

    @Test
    void javaAndLuaEstimateTheSame() {
        try (TwinStores twins = new TwinStores()) {
            SeededRandom.each(
                    "approximate twins", 200, random -> play(Algorithm.APPROXIMATE_UNIQUE_COUNT, twins, random));
        }
    }

    /** Here, too, the answers are equal, although the count is no longer exact. */
    @Test
    void javaAndLuaEstimateTheSameOfThousands() {
        try (TwinStores twins = new TwinStores()) {
            SeededRandom.each("approximate twins of thousands", 10, random -> {
                long now = at("12:00:00") + random.between(0, 600_000_000);
                twins.startAt(now, false);
                twins.setClock(now);
                long max = random.ofAnySize(100, 2_000);
                Limit limit = Limit.of(twins.newName(), Algorithm.APPROXIMATE_UNIQUE_COUNT, max, WINDOW);
                int admitted = 0;
                for (int i = 0; i < max; i++) {
                    admitted +=
                            twins.acquire(Acquisition.of(limit, "page", random.between(0, Long.MAX_VALUE) + "-" + i))
                                            .allowed()
                                    ? 1
                                    : 0;
                }
                assertThat(admitted).isGreaterThan((int) (max - 4 - max / 20));
            });
        }
    }

    private static void play(Algorithm algorithm, TwinStores twins, SeededRandom random) {
        boolean backwards = random.oneIn(3);
        String name = twins.newName();
        long now = at("12:00:00") + random.between(0, 600_000_000);
        twins.startAt(now, backwards);
        long max = random.ofAnySize(1, 60);
        Limit beside = Limit.of(name, Algorithm.SLIDING_WINDOW_LOG, 300, WINDOW);
        Set<String> admitted = new HashSet<>();
        long window = now / 600_000_000;
        for (int step = 0; step < 150; step++) {
            now += random.oneIn(3) ? random.ofAnySize(1, 200_000_000) : 0;
            now -= backwards && random.oneIn(8) ? random.ofAnySize(1, 1_000_000_000) : 0;
            twins.setClock(now);
            if (now / 600_000_000 != window) {
                window = now / 600_000_000;
                admitted.clear();
            }
            Limit limit = Limit.of(name, algorithm, random.oneIn(9) ? max + 5 : max, WINDOW);
            String element = "element " + random.ofAnySize(1, 2 * max);
            Acquisition one = Acquisition.of(limit, "alice", element);
            boolean isPeek = random.oneIn(6);
            Decision decision =
                    isPeek ? twins.peek(one) : twins.acquire(random.oneIn(4) ? one.and(beside, "alice") : one);
            if (!backwards && algorithm == Algorithm.UNIQUE_COUNT) {
                boolean fits = admitted.contains(element) || admitted.size() < limit.maxRequests();
                assertThat(decision.limits().get(0).refuses()).isEqualTo(!fits);
            }
            if (!isPeek && decision.allowed()) {
                admitted.add(element);
            }
        }
    }
}
