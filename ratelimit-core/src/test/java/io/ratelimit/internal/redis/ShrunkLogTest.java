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

/** A log that is rewritten smaller by a call that charges nothing keeps its newest entry. */
@ExtendWith(NoThreadsLeft.class)
class ShrunkLogTest {

    private static final Algorithm LOG = Algorithm.SLIDING_WINDOW_LOG;
    private static final long SECOND = 1_000_000;
    private static final Acquisition ONE = Acquisition.of(Limit.of("api", LOG, 100, Duration.ofMinutes(1)), "alice");

    private final List<Decision> decisions = new ArrayList<>();
    private long now = at("12:00:00");

    @Test
    void afterARefundOfMostEntries() {
        try (TwinStores twins = new TwinStores()) {
            fill(twins, 40);
            decisions.subList(4, 40).forEach(decision -> twins.settle(ONE, decision, 0));

            assertThat(twins.peek(ONE).remaining()).isEqualTo(96);
            assertSameUntilEmpty(twins);
        }
    }

    @Test
    void afterARefundWhenMostEntriesHaveLeft() {
        try (TwinStores twins = new TwinStores()) {
            fill(twins, 40);
            twins.setClock(now += 55 * SECOND);
            twins.settle(ONE, decisions.get(39), 0);

            assertThat(twins.peek(ONE).remaining()).isEqualTo(96);
            assertSameUntilEmpty(twins);
        }
    }

    @Test
    void longLogsAreTheSameOnRandomSchedules() {
        try (TwinStores twins = new TwinStores()) {
            SeededRandom.each("long logs", 200, random -> {
                now += 120 * SECOND;
                twins.startAt(now, false);
                Limit limit = Limit.of(twins.newName(), LOG, random.between(20, 400), Duration.ofMinutes(1));
                decisions.clear();
                for (int step = 0; step < 250; step++) {
                    now += random.ofAnySize(1, random.oneIn(40) ? 50 * SECOND : SECOND / 4);
                    twins.setClock(now);
                    callOrRefund(twins, Acquisition.of(limit, "alice"), random);
                }
            });
        }
    }

    private void callOrRefund(TwinStores twins, Acquisition one, SeededRandom random) {
        if (random.oneIn(3) && !decisions.isEmpty()) {
            int refunds = random.oneIn(20) ? decisions.size() : 1;
            for (int i = 0; i < refunds; i++) {
                twins.settle(one, decisions.remove((int) random.between(0, decisions.size() - 1)), 0);
            }
            twins.peek(one);
        } else {
            Decision decision = twins.acquire(one);
            if (decision.allowed()) {
                decisions.add(decision);
            }
        }
    }

    private void fill(TwinStores twins, int calls) {
        twins.startAt(now, false);
        for (int i = 0; i < calls; i++) {
            twins.setClock(now += SECOND);
            decisions.add(twins.acquire(ONE));
        }
    }

    private void assertSameUntilEmpty(TwinStores twins) {
        for (int i = 0; i < 61; i++) {
            twins.setClock(now += SECOND);
            twins.peek(ONE);
        }
        assertThat(twins.peek(ONE).remaining()).isEqualTo(100);
    }
}
