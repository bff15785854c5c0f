package io.ratelimit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.Settlements;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A batch decides as the twin in memory does when it gets the same calls one after the other, in the order of entries.
 */
class BatchTest {

    private static final int BATCHES = 400;

    private final SeededRandom random = SeededRandom.of("batches");
    private final AtomicLong clock = new AtomicLong(TestTime.at("12:00:00"));
    private final RateLimiter memory = InMemoryRateLimiter.create(1_000_000, clock::get);
    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn();
    private final StateKeyFormat stateKeys = new StateKeyFormat(redis.prefix);
    private final ScriptRunner runner = new ScriptRunner(RedisConnections.of(redis.connection()));
    private final List<Limit> limits = Algorithms.ofCosts().stream()
            .flatMap(algorithm -> Stream.of(
                    Limit.of("few", algorithm, 6, Duration.ofHours(1)),
                    Limit.of("few", algorithm, 9, Duration.ofHours(1)),
                    Limit.of("few", algorithm, 6, Duration.ofMinutes(1)),
                    Limit.of("many", algorithm, 1_000, Duration.ofMinutes(1))))
            .toList();
    private final List<PendingCall> taken = new ArrayList<>();

    @AfterEach
    void close() {
        redis.close();
    }

    @Test
    void aBatchDecidesWhatItsAsksWouldBeToldOneByOne() {
        for (int i = 0; i < BATCHES; i++) {
            clock.addAndGet(random.ofAnySize(1, 3 * TestTime.MINUTE));
            redis.setClock(clock.get());
            Batch batch = new Batch(someAsks());
            answer(batch);
            batch.groups.forEach(this::checkByMemory);
        }
    }

    @Test
    void callsOfDifferentCostsAndARefundOnOneLogAreAllDecided() {
        Limit log = Limit.of("alone", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofMinutes(1));
        for (int i = 0; i < 3; i++) {
            redis.setClock(clock.addAndGet(TestTime.SECOND));
            answer(new Batch(List.of(acquisition(log, 1))));
        }
        redis.setClock(clock.addAndGet(TestTime.SECOND));
        PendingCall one = acquisition(log, 1);
        PendingCall two = acquisition(log, 2);
        Decision ofOne = Decision.of(List.of(LimitStatus.ofMicros(log, 0, 0, 0)), Micros.toInstant(clock.get()));
        PendingCall refund = one.refund(ofOne, Duration.ofMinutes(1));

        answer(new Batch(List.of(one, two, refund)));

        assertThat(one.join().remaining()).isEqualTo(96);
        assertThat(two.join().remaining()).isEqualTo(94);
        assertThat(refund).isCompleted();
    }

    private static PendingCall acquisition(Limit limit, long cost) {
        return new PendingCall(
                PendingCall.Operation.ACQUIRE, List.of(new Charge(limit, "alice", cost)), 1, 0, Runnable::run);
    }

    private void answer(Batch batch) {
        EngineScript script = EngineScript.of(redis.clockText, batch.algorithms(), batch.hasBans());
        byte[] reply = runner.run(script, batch.keys(stateKeys), EngineRequest.of(batch, 0))
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
        new EngineReply(reply, Runnable::run).answer(batch, Duration.ofMinutes(1));
    }

    private void checkByMemory(BatchEntry group) {
        List<Decision> expected = group.asks.stream().map(this::byMemory).toList();
        List<Decision> admitted = expected.stream().filter(Decision::allowed).toList();
        for (int i = 0; i < expected.size(); i++) {
            boolean resetIsOfTheLast = i < admitted.size();
            assertThat(group.asks.get(i).join())
                    .as(SeededRandom.seed())
                    .isEqualTo(
                            resetIsOfTheLast
                                    ? withResetOf(admitted.get(admitted.size() - 1), expected.get(i))
                                    : expected.get(i));
        }
    }

    private Decision byMemory(PendingCall ask) {
        Acquisition acquisition = new Acquisition(ask.charges);
        return switch (ask.operation) {
            case ACQUIRE, TRY -> {
                Decision decision = memory.acquire(acquisition);
                if (decision.allowed()) {
                    taken.add(ask);
                }
                yield decision;
            }
            case PEEK -> memory.peek(acquisition);
            case FAIL, BAN -> throw new AssertionError("no limit of this test has a ban");
            case SETTLE -> {
                List<LimitStatus> statuses = IntStream.range(0, ask.actual.length)
                        .mapToObj(i -> LimitStatus.ofMicros(ask.charges.get(i).limit(), 0, 0, ask.resetAfterMicros[i]))
                        .toList();
                memory.settle(acquisition, Decision.of(statuses, Micros.toInstant(ask.takenAtMicros)), ask.actual);
                yield ask.join();
            }
        };
    }

    /** All calls of an entry were decided at once, so each gets the resetAfter that holds after all of them. */
    private static Decision withResetOf(Decision last, Decision decision) {
        List<LimitStatus> statuses = new ArrayList<>();
        for (int i = 0; i < decision.limits().size(); i++) {
            LimitStatus status = decision.limits().get(i);
            Duration resetAfter = last.limits().get(i).resetAfter();
            statuses.add(new LimitStatus(status.limit(), status.remaining(), status.retryAfter(), resetAfter));
        }
        return new Decision(decision.allowed(), statuses, decision.source(), decision.decidedAt());
    }

    /** Mostly alike, so that there are runs to make of them; some hot, so that there are groups. */
    private List<PendingCall> someAsks() {
        List<PendingCall> asks = new ArrayList<>();
        List<Limit> asked = someLimits();
        long subjects = random.ofAnySize(1, 300);
        for (long left = random.ofAnySize(1, 120); left > 0; left--) {
            if (random.oneIn(12)) {
                asked = someLimits();
            }
            asks.add(!taken.isEmpty() && random.oneIn(20) ? someSettlement() : someAsk(asked, subjects));
        }
        return asks;
    }

    private List<Limit> someLimits() {
        int first = (int) random.between(0, limits.size() - 1);
        return limits.subList(first, (int) random.between(first + 1, Math.min(limits.size(), first + 3)));
    }

    private PendingCall someAsk(List<Limit> asked, long subjects) {
        String subject = "subject " + random.between(1, subjects);
        long cost = random.oneIn(4) ? random.between(1, 3) : 1;
        List<Charge> charges =
                asked.stream().map(limit -> new Charge(limit, subject, cost)).toList();
        return new PendingCall(
                random.oneIn(10) ? PendingCall.Operation.PEEK : PendingCall.Operation.ACQUIRE,
                charges,
                1,
                0,
                Runnable::run);
    }

    private PendingCall someSettlement() {
        PendingCall call = taken.remove((int) random.between(0, taken.size() - 1));
        long[] actual = call.charges.stream()
                .mapToLong(charge -> random.oneIn(2)
                        ? 0
                        : random.ofAnySize(1, 4 * charge.limit().capacity()))
                .toArray();
        return PendingCall.settling(
                call.charges, Settlements.ofEach(call.charges, actual), call.join(), 0, Runnable::run);
    }
}
