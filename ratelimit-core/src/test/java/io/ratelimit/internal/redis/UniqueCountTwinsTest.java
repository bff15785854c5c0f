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
            SeededRandom.each("unique twins", 200, random -> play(twins, random, twins.newName(), random.oneIn(3)));
        }
    }

    private static void play(TwinStores twins, SeededRandom random, String name, boolean backwards) {
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
            Limit limit = Limit.of(name, Algorithm.UNIQUE_COUNT, random.oneIn(9) ? max + 5 : max, WINDOW);
            String element = "element " + random.ofAnySize(1, 2 * max);
            Acquisition one = Acquisition.of(limit, "alice", element);
            boolean isPeek = random.oneIn(6);
            Decision decision =
                    isPeek ? twins.peek(one) : twins.acquire(random.oneIn(4) ? one.and(beside, "alice") : one);
            if (!backwards) {
                boolean fits = admitted.contains(element) || admitted.size() < limit.maxRequests();
                assertThat(decision.limits().get(0).refuses()).isEqualTo(!fits);
            }
            if (!isPeek && decision.allowed()) {
                admitted.add(element);
            }
        }
    }
}
