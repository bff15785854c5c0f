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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Java and Lua give back the same of a bucket, of which more calls overlap than are told apart. */
@ExtendWith(NoThreadsLeft.class)
class RefundTwinsTest {

    private record Call(Acquisition acquisition, Decision decision, long cost) {}

    @Test
    void javaAndLuaGiveBackTheSame() {
        try (TwinStores twins = new TwinStores()) {
            SeededRandom.each("refund twins", 200, random -> play(twins, random));
        }
    }

    private static void play(TwinStores twins, SeededRandom random) {
        boolean backwards = random.oneIn(4);
        long now = at("12:00:00") + random.between(0, 600_000_000);
        twins.startAt(now, backwards);
        String name = twins.newName();
        long windowMillis = random.oneOf(1, 997, 60_000, 7_200_000);
        long max = random.ofAnySize(1, 1_000_000);
        List<Call> inFlight = new ArrayList<>();
        for (int step = 0; step < 300; step++) {
            now += random.oneIn(3) ? random.ofAnySize(1, 100 * windowMillis) : 0;
            now += random.oneIn(100) ? random.ofAnySize(1, 2_000 * windowMillis) : 0;
            now -= backwards && random.oneIn(50) ? random.ofAnySize(1, 500 * windowMillis) : 0;
            twins.setClock(now);
            if (random.oneIn(2) && !inFlight.isEmpty()) {
                Call ended = inFlight.remove((int) random.between(0, inFlight.size() - 1));
                twins.settle(ended.acquisition(), ended.decision(), random.ofAnySize(0, 2 * ended.cost()));
            } else {
                long cost = random.ofAnySize(1, Math.max(1, max / 8));
                Limit limit = Limit.of(
                        name,
                        Algorithm.TOKEN_BUCKET,
                        random.oneIn(50) ? max + 1 : max,
                        Duration.ofMillis(windowMillis));
                Acquisition acquisition = Acquisition.of(limit, "alice", cost);
                Decision decision = twins.acquire(acquisition);
                if (decision.allowed()) {
                    inFlight.add(new Call(acquisition, decision, cost));
                }
            }
        }
        assertThat(inFlight).hasSizeLessThan(300);
    }
}
