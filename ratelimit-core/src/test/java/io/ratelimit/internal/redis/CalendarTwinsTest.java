package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.CalendarPeriod;
import io.ratelimit.CalendarPeriod.Unit;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.internal.Micros;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Java and Lua count by the same calendar, and admit in each of its periods what the limit says. */
@ExtendWith(NoThreadsLeft.class)
class CalendarTwinsTest {

    private static final String[] ZONES = {"UTC", "Europe/Paris", "America/Havana", "Africa/Cairo", "Pacific/Apia"};

    @Test
    void javaAndLuaAnswerTheSame() {
        try (TwinStores twins = new TwinStores()) {
            SeededRandom.each("calendar twins", 200, random -> play(twins, random, twins.newName()));
        }
    }

    private static void play(TwinStores twins, SeededRandom random, String name) {
        boolean backwards = random.oneIn(4);
        CalendarPeriod period = CalendarPeriod.of(random.oneOf(Unit.values()), ZoneId.of(random.oneOf(ZONES)));
        long now = Micros.of(Instant.parse("2026-01-01T00:00:00Z")) + random.between(0, 63_000_000_000_000L);
        long max = random.ofAnySize(1, 40);
        long used = 0;
        List<Runnable> refunds = new ArrayList<>();
        long start = period.startMicros(now, 0);
        twins.startAt(now, backwards);
        for (int step = 0; step < 100; step++) {
            long length = period.startMicros(now, 1) - period.startMicros(now, 0);
            now += random.oneIn(12)
                    ? period.startMicros(now, 1) - now - (random.oneIn(3) ? 1 : 0)
                    : random.oneIn(15) ? random.between(1, 3 * length) : random.between(0, length / 50);
            now -= backwards && random.oneIn(8) ? random.ofAnySize(1, length) : 0;
            twins.setClock(now);
            if (period.startMicros(now, 0) != start) {
                start = period.startMicros(now, 0);
                used = 0;
            }
            Limit limit = Limit.of(name, random.oneIn(9) ? max + 5 : max, period);
            int cost = (int) random.ofAnySize(1, max);
            Acquisition one = Acquisition.of(limit, "alice", cost);
            long usedBefore = used;
            boolean isPeek = random.oneIn(6);
            Decision decision = isPeek ? twins.peek(one) : twins.acquire(one);
            used += !isPeek && decision.allowed() ? cost : 0;
            if (backwards && !isPeek && decision.allowed() && random.oneIn(3)) {
                refunds.add(() -> twins.settle(one, decision, 0));
            } else if (random.oneIn(8)) {
                refunds.forEach(Runnable::run);
                refunds.clear();
            }
            if (!backwards) {
                boolean fits = usedBefore + cost <= limit.maxRequests();
                assertThat(decision.limits().get(0).refuses()).isEqualTo(!fits);
                assertThat(decision.retryAfter())
                        .isEqualTo(Micros.toDuration(fits ? 0 : period.startMicros(now, 1) - now));
            }
        }
    }
}
