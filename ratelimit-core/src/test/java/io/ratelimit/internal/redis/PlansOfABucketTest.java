package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.internal.Micros;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Several plans take turns on one subject's bucket, some calls charge two of them, and some are settled at more or less than
 * they were charged. In memory and in Redis every refused call is refused one microsecond before its retryAfter, and
 * admitted at it.
 */
@ExtendWith(NoThreadsLeft.class)
class PlansOfABucketTest {

    private static final int SCHEDULES = 100;
    private static final int STEPS = 60;

    private record Taken(Acquisition acquisition, Decision decision) {}

    @Test
    void everyRetryAfterIsExactIfNobodyElseCalls() {
        try (TwinStores twins = new TwinStores()) {
            SeededRandom.each("plans of a bucket", SCHEDULES, random -> play(twins, random));
        }
    }

    /** Redis has forgotten it by then, and with it how fast it was refilled. */
    @Test
    void aBucketThatIsFullWhenACallIsSettledRemembersNothingGivenBack() {
        try (TwinStores twins = new TwinStores()) {
            Limit slow = Limit.of(twins.newName(), Algorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1));
            Limit fast = Limit.of(slow.name(), Algorithm.TOKEN_BUCKET, 1_000, Duration.ofMinutes(1));
            long start = at("12:00:00");
            twins.startAt(start, false);
            Acquisition all = Acquisition.of(slow, "alice", 10);
            Decision settledLater = twins.acquire(all);
            twins.acquire(Acquisition.of(fast, "alice"));
            twins.setClock(start + 2 * SECOND);
            twins.settle(all, settledLater, 0);

            twins.acquire(Acquisition.of(slow, "alice", 6));
            Acquisition two = Acquisition.of(slow, "alice", 2);
            Decision taken = twins.acquire(two);
            twins.setClock(start + 12 * SECOND);
            twins.settle(two, taken, 0);

            assertThat(twins.peek(two).remaining()).isEqualTo(5); // 4 1/3 are missing: 6, less what 10 s refill
        }
    }

    /** Each adds to what larger buckets find missing, for which Redis keeps six bytes. */
    @Test
    void underestimatesOfTwoPlansInTurnAddUpToNoMoreThanIsEverOwed() {
        try (TwinStores twins = new TwinStores()) {
            Limit small = Limit.of(twins.newName(), Algorithm.TOKEN_BUCKET, 1_000, Duration.ofMinutes(1));
            Limit large = Limit.of(small.name(), Algorithm.TOKEN_BUCKET, 1_000_000_000_000L, Duration.ofMinutes(1));
            Acquisition ofSmall = Acquisition.of(small, "alice");
            Acquisition ofLarge = Acquisition.of(large, "alice");
            twins.startAt(at("12:00:00"), false);
            List<Taken> taken = new ArrayList<>();
            for (int pair = 0; pair < 300; pair++) {
                taken.add(new Taken(ofLarge, twins.acquire(ofLarge)));
                taken.add(new Taken(ofSmall, twins.acquire(ofSmall)));
            }
            for (Taken call : taken) {
                twins.settle(call.acquisition(), call.decision(), 10_000_000_000_000L);
                assertThat(twins.peek(ofLarge).allowed()).isFalse();
            }
        }
    }

    private static void play(TwinStores twins, SeededRandom random) {
        List<Limit> plans = somePlans(random, twins.newName());
        List<Taken> taken = new ArrayList<>();
        long now = at("12:00:00");
        twins.startAt(now, false);
        for (int step = 0; step < STEPS; step++) {
            now += random.oneIn(3)
                    ? 0
                    : random.ofAnySize(1, 2 * plans.get(0).quota().windowMicros());
            twins.setClock(now);
            if (!taken.isEmpty() && random.oneIn(5)) {
                Taken call = taken.remove((int) random.between(0, taken.size() - 1));
                twins.settle(call.acquisition(), call.decision(), someActual(random, call.acquisition()));
            }
            Acquisition acquisition = someAcquisition(random, plans);
            Decision decision = twins.acquire(acquisition);
            if (!decision.allowed()) {
                now += Micros.of(decision.retryAfter());
                twins.setClock(now - 1);
                Decision early = random.oneIn(2) ? twins.acquire(acquisition) : twins.peek(acquisition);
                assertThat(early.allowed()).isFalse();
                assertThat(early.retryAfter()).isEqualTo(Micros.toDuration(1));
                twins.setClock(now);
                decision = twins.acquire(acquisition);
                assertThat(decision.allowed()).isTrue();
            }
            taken.add(new Taken(acquisition, decision));
        }
    }

    private static List<Limit> somePlans(SeededRandom random, String name) {
        Duration window = Micros.toDuration(random.ofAnySize(MINUTE, 366 * DAY));
        long most = random.oneIn(4) ? 300_000_000_000L : 40;
        return IntStream.rangeClosed(1, 3)
                .mapToObj(i -> Limit.of(name, Algorithm.TOKEN_BUCKET, random.ofAnySize(1, most), window))
                .map(plan -> random.oneIn(2) ? plan : plan.withBurst(random.ofAnySize(1, 3 * plan.maxRequests())))
                .toList();
    }

    private static Acquisition someAcquisition(SeededRandom random, List<Limit> plans) {
        Limit plan = random.oneOf(plans.toArray(Limit[]::new));
        Acquisition one = Acquisition.of(plan, "alice", cost(random, plan));
        Limit other = random.oneOf(plans.toArray(Limit[]::new));
        try {
            return random.oneIn(4) && !other.equals(plan) ? one.and(other, "alice", cost(random, other)) : one;
        } catch (CostExceedsCapacityException together) {
            return one;
        }
    }

    private static long cost(SeededRandom random, Limit plan) {
        return random.oneIn(2) ? 1 : random.ofAnySize(1, plan.capacity());
    }

    private static long[] someActual(SeededRandom random, Acquisition acquisition) {
        return acquisition.charges().stream()
                .mapToLong(charge -> random.oneIn(2)
                        ? random.between(0, charge.cost())
                        : random.ofAnySize(
                                1,
                                (random.oneIn(9) ? 1_000_000 : 3)
                                        * charge.limit().capacity()))
                .toArray();
    }
}
