package io.ratelimit.internal.algorithm;

import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Quota;
import io.ratelimit.testing.SeededRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls of a bucket that cost less than they were charged and say so late, in any order, so that others are charged and
 * settled meanwhile. Counted by brute force at each admission, over every stretch of time that ends with it.
 */
class LateSettlementsTest {

    private static final int SCHEDULES = 250_000;
    private static final int STEPS = 30;

    private static final class Call {

        final long atMicros;
        final Quota quota;
        long cost;
        boolean inFlight = true;

        Call(long atMicros, Quota quota, long cost) {
            this.atMicros = atMicros;
            this.quota = quota;
            this.cost = cost;
        }
    }

    enum Lengths {
        EQUAL,
        UP_TO_TWICE,
        EXPONENTIAL;

        long next(SeededRandom random, long mean) {
            return switch (this) {
                case EQUAL -> mean;
                case UP_TO_TWICE -> random.between(1, 2 * mean);
                case EXPONENTIAL -> 1 - (long) (mean * Math.log(random.between(1, 1_000_000) / 1_000_000.0));
            };
        }
    }

    private record Ending(long endMicros, Call call) {}

    private static final class InFlight {
        private final Queue<Ending> endings = new PriorityQueue<>(Comparator.comparing(Ending::endMicros));

        void add(Call call, long endMicros) {
            endings.add(new Ending(endMicros, call));
        }

        long nextEnd() {
            return endings.element().endMicros();
        }

        Call next() {
            return endings.remove().call();
        }

        List<Call> endedBy(long now) {
            List<Call> ended = new ArrayList<>();
            while (!endings.isEmpty() && nextEnd() <= now) {
                ended.add(next());
            }
            return ended;
        }
    }

    @Test
    void noStretchOfTimeHoldsMoreThanTheBurstAndWhatItRefills() {
        SeededRandom.each(
                "late settlements",
                SCHEDULES,
                random ->
                        play(random, List.of(someQuota(random, random.oneOf(1_000L, 7_919L, SECOND, 7_200 * SECOND)))));
    }

    @Test
    void noStretchHoldsMoreThanTheLargestBurstAndWhatItRefillsForCallsOfSeveralQuotasOfOneRate() {
        SeededRandom.each("late settlements of several quotas", SCHEDULES, random -> {
            Quota one = someQuota(random, random.oneOf(1_000L, 7_919L, SECOND, 7_200 * SECOND));
            long burst = random.between(1, 2 * one.maxRequests());
            play(random, List.of(one, new Quota(one.maxRequests(), one.windowMicros(), burst)));
        });
    }

    /** More than are told apart. */
    @Test
    void noStretchHoldsMoreIfManyAreInFlight() {
        SeededRandom.each("late settlements of many", SCHEDULES / 10, random -> {
            long window = random.oneOf(1_000L, 7_919L, SECOND, 7_200 * SECOND);
            long max = random.between(30, 200);
            Quota quota = new Quota(max, window, random.between(max / 2, 2 * max));
            Subject subject = new Subject(new TokenBucket(), quota);
            List<Call> calls = new ArrayList<>();
            List<Call> inFlight = new ArrayList<>();
            long now = at("12:00:00");
            for (int step = 0; step < 10 * STEPS; step++) {
                now += random.oneIn(2) ? 0 : random.ofAnySize(1, window / 8);
                long cost = random.between(1, quota.capacity() / 8);
                if (random.oneIn(2) && !inFlight.isEmpty()) {
                    Call ended = inFlight.remove((int) random.between(0, inFlight.size() - 1));
                    long unused = random.oneIn(2) ? ended.cost : random.between(1, ended.cost);
                    subject.giveBack(unused, ended.atMicros, now);
                    ended.cost -= unused;
                } else if (subject.admits(cost, now)) {
                    Call call = new Call(now, quota, cost);
                    calls.add(call);
                    inFlight.add(call);
                    check(quota, calls, now);
                }
            }
        });
    }

    /** Five calls ten times a second, which take 50 ms and have then cost half of what they were charged. */
    @Test
    void estimatesThatAreTwiceTooHighLeaveHardlyAnythingUnused() {
        SeededRandom random = SeededRandom.of("estimates");
        Quota quota = new Quota(100, SECOND, 100);
        Subject subject = new Subject(new TokenBucket(), quota);
        long start = at("12:00:00");
        long spent = 0;
        for (int wave = 0; wave < 200; wave++) {
            long now = start + wave * SECOND / 10;
            List<Long> admitted = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                long estimate = 2 * random.between(3, 10);
                if (subject.admits(estimate, now)) {
                    admitted.add(estimate);
                }
            }
            for (long estimate : admitted) {
                subject.giveBack(estimate / 2, now, now + 50_000);
                spent += estimate / 2;
            }
        }

        assertThat(spent).isBetween(2_000L, 2_100L);
    }

    /** More calls than fit, of a hundredth of the limit each, of which is given back what they were charged too much. */
    @ParameterizedTest
    @CsvSource({
        "EQUAL, 2, 300, 0.98", "EQUAL, 4, 200, 0.97", "EQUAL, 10, 50, 0.98",
        "UP_TO_TWICE, 2, 300, 0.98", "UP_TO_TWICE, 4, 200, 0.96", "UP_TO_TWICE, 10, 50, 0.97",
        "EXPONENTIAL, 2, 300, 0.94", "EXPONENTIAL, 4, 200, 0.94", "EXPONENTIAL, 10, 50, 0.96"
    })
    void estimatesThatAreTooHighLeaveHardlyAnythingUnusedOfCallsThatTakeLong(
            Lengths lengths, int tooHigh, long meanMillis, double least) {
        SeededRandom random = SeededRandom.of("lengths");
        long limit = 10_000;
        Quota quota = new Quota(limit, SECOND, limit);
        Subject subject = new Subject(new TokenBucket(), quota);
        InFlight inFlight = new InFlight();
        long start = at("12:00:00");
        long spent = 0;
        for (int step = 0; step < 400 * 30; step++) {
            long now = start + step * SECOND / 400;
            for (Call ended : inFlight.endedBy(now)) {
                subject.giveBack(ended.cost - ended.cost / tooHigh, ended.atMicros, now);
            }
            while (subject.admits(limit / 100, now)) {
                inFlight.add(new Call(now, quota, limit / 100), now + lengths.next(random, 1_000 * meanMillis));
                spent += limit / 100 / tooHigh;
            }
        }

        assertThat(spent / (31.0 * limit)).isBetween(least, 1.0);
    }

    /** As those of which failures alone count, and none fails: eight callers, and room for nine. */
    @ParameterizedTest
    @EnumSource
    void callsOfAnyLengthThatGiveAllBackAreAdmitted(Lengths lengths) {
        SeededRandom random = SeededRandom.of("lengths");
        Quota quota = new Quota(9, 60 * SECOND, 9);
        Subject subject = new Subject(new TokenBucket(), quota);
        InFlight inFlight = new InFlight();
        long now = at("12:00:00");
        for (int call = 0; call < 20_000; call++) {
            if (call >= 8) {
                now = inFlight.nextEnd();
                Call ended = inFlight.next();
                subject.giveBack(1, ended.atMicros, now);
            }
            assertThat(subject.admits(1, now)).as("call %d", call).isTrue();
            inFlight.add(new Call(now, quota, 1), now + lengths.next(random, SECOND));
        }
    }

    /** As those of which failures alone count, and none fails: each takes 3 ms, and is followed by the next. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 64})
    void callsThatOverlapAndGiveAllBackAreAdmitted(int callers) {
        long length = 3_000;
        Subject subject = new Subject(new TokenBucket(), new Quota(100, SECOND, 100));
        long start = at("12:00:00");
        for (int call = 0; call < 1_000 * callers; call++) {
            long now = start + call * length / callers;
            if (call >= callers) {
                subject.giveBack(1, now - length, now);
            }
            assertThat(subject.admits(1, now)).as("call %d", call).isTrue();
        }
    }

    /** Fifty at a time, of which each is worth 36 s of refill: in ten minutes, years of refill are given back. */
    @Test
    void callsOfARareLimitThatGiveAllBackAreAdmittedHoweverMany() {
        Subject subject = new Subject(new TokenBucket(), new Quota(100, 3_600 * SECOND, 100));
        long start = at("12:00:00");
        for (int wave = 0; wave < 10_000; wave++) {
            long now = start + wave * 20_000L;
            for (int call = 0; call < 50 && wave > 0; call++) {
                subject.giveBack(1, now - 20_000, now);
            }
            for (int call = 0; call < 50; call++) {
                assertThat(subject.admits(1, now)).as("wave %d", wave).isTrue();
            }
        }
    }

    private static Quota someQuota(SeededRandom random, long window) {
        long max = random.between(1, 20);
        return new Quota(max, window, random.between(1, 2 * max));
    }

    private static void play(SeededRandom random, List<Quota> quotas) {
        Quota largest =
                quotas.stream().max(Comparator.comparing(Quota::capacity)).orElseThrow();
        Subject subject = new Subject(new TokenBucket(), quotas.get(0));
        List<Call> calls = new ArrayList<>();
        long now = at("12:00:00");
        for (int step = 0; step < STEPS; step++) {
            Quota quota = quotas.get((int) random.between(0, quotas.size() - 1));
            now += random.oneIn(2) ? 0 : random.ofAnySize(1, 2 * quota.windowMicros());
            Call settled = calls.isEmpty() ? null : calls.get((int) random.between(0, calls.size() - 1));
            if (settled != null && settled.inFlight) {
                settled.inFlight = false;
                long unused = random.oneIn(2) ? settled.cost : random.between(1, settled.cost);
                subject.changeLimitTo(settled.quota);
                subject.giveBack(unused, settled.atMicros, now);
                settled.cost -= unused;
            }
            subject.changeLimitTo(quota);
            long cost = random.between(1, quota.capacity());
            if (subject.admits(cost, now)) {
                calls.add(new Call(now, quota, cost));
                check(largest, calls, now);
            }
        }
    }

    private static void check(Quota quota, List<Call> calls, long now) {
        long spent = 0;
        for (int i = calls.size() - 1; i >= 0; i--) {
            Call call = calls.get(i);
            spent += call.cost;
            long most = quota.capacity() * quota.windowMicros() + (now - call.atMicros) * quota.maxRequests();
            if (spent * quota.windowMicros() > most) {
                assertThat(spent * quota.windowMicros()).as("%s", quota).isLessThanOrEqualTo(most);
            }
        }
    }
}
