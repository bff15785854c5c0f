package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    private static final int BATCHES = 40;

    private final AtomicLong clock = new AtomicLong(TestTime.at("12:00:00"));
    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn();
    private final CommandRunner runner = new CommandRunner(RedisConnections.of(redis.connection()));
    private StateKeyFormat stateKeys = new StateKeyFormat(redis.prefix);
    private RateLimiter memory = InMemoryRateLimiter.create(1_000_000, clock::get);
    private RandomBatches batches;
    private int schedules;

    @AfterEach
    void close() {
        redis.close();
    }

    @Test
    void aBatchDecidesItsCallsAsOneByOne() {
        redis.expireByClock(true);
        SeededRandom.each("batches", 50, this::playBatches);
    }

    private void playBatches(SeededRandom random) {
        memory = InMemoryRateLimiter.create(1_000_000, clock::get);
        stateKeys = new StateKeyFormat(redis.prefix + schedules++);
        batches = new RandomBatches(random);
        for (int i = 0; i < BATCHES; i++) {
            clock.addAndGet(random.ofAnySize(1, 3 * TestTime.MINUTE));
            redis.setClock(clock.get());
            Batch batch = new Batch(batches.next());
            answer(batch);
            batch.entries.forEach(this::checkByMemory);
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
        PendingCall refund = one.lateRefund(ofOne, new OpenCalls(), TimeUnit.MINUTES.toNanos(1));

        answer(new Batch(List.of(one, two, refund)));

        assertThat(Asked.answer(one).join().remaining()).isEqualTo(96);
        assertThat(Asked.answer(two).join().remaining()).isEqualTo(94);
        assertThat(refund.isAnswered()).isTrue();
    }

    @Test
    void callsOfPlansWithEqualNumbersAreAnsweredByTheirOwn() {
        Limit own = Limit.of("planned", Algorithm.FIXED_WINDOW, 100, Duration.ofMinutes(1));
        PendingCall one = acquisition(own, 1);
        PendingCall gold = acquisition(own.withPlan("gold", 100), 1);
        redis.setClock(clock.get());

        answer(new Batch(List.of(one, gold)));

        assertThat(Stream.of(one, gold)
                        .map(call -> Asked.answer(call)
                                .join()
                                .limits()
                                .get(0)
                                .limit()
                                .plan()))
                .containsExactly(Optional.empty(), Optional.of("gold"));
    }

    @Test
    void theEarliestDeadlineIsFoundAlsoWhereTheClockWraps() {
        List<PendingCall> calls = Stream.of(Long.MIN_VALUE + 5, Long.MAX_VALUE - 5, Long.MAX_VALUE)
                .map(deadline -> Asked.call(
                        Operation.PEEK,
                        Acquisition.of(Limit.of("api", Algorithm.TOKEN_BUCKET, 1, Duration.ofMinutes(1)), "alice")
                                .charges(),
                        1,
                        deadline))
                .toList();

        assertThat(new Batch(calls).decidedUntilNanos()).isEqualTo(Long.MAX_VALUE - 5);
    }

    @Test
    void equalCallsAreOneEntryAndOthersAreNot() {
        Limit limit = Limit.of("api", Algorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1));
        Limit raised = Limit.of("api", Algorithm.TOKEN_BUCKET, 20, Duration.ofMinutes(1));
        Limit banning = limit.withBan(1, Duration.ofMinutes(1), Duration.ofMinutes(1));

        Batch batch = new Batch(Stream.of(limit, raised, banning)
                .flatMap(each -> Stream.of(1, 2, 1, 2).map(cost -> acquisition(each, cost)))
                .toList());

        assertThat(batch.entries).extracting(entry -> entry.calls.size()).containsExactly(2, 2, 2, 2, 1, 1, 1, 1);
        assertThat(batch.fragments()).containsExactly("ban", "token-bucket");
        assertThat(new Batch(List.of(acquisition(limit, 1))).fragments()).containsExactly("token-bucket");
    }

    private static PendingCall acquisition(Limit limit, long cost) {
        return Asked.call(Operation.ACQUIRE, List.of(new Charge(limit, "alice", cost)), 1, 0);
    }

    private void answer(Batch batch) {
        EngineScript script = EngineScript.of(redis.clockText, batch.fragments());
        byte[] reply = runner.run(script, batch.keys(stateKeys), EngineRequest.of(batch, 0))
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
        new EngineReply(reply, Runnable::run, new OpenCalls()).answer(batch, TimeUnit.MINUTES.toNanos(1));
    }

    private void checkByMemory(BatchEntry entry) {
        List<Decision> expected = entry.calls.stream().map(this::byMemory).toList();
        List<Decision> admitted = expected.stream().filter(Decision::allowed).toList();
        for (int i = 0; i < expected.size(); i++) {
            boolean resetIsOfTheLast = i < admitted.size();
            assertThat(Asked.answer(entry.calls.get(i)).join())
                    .isEqualTo(
                            resetIsOfTheLast
                                    ? withResetOf(admitted.get(admitted.size() - 1), expected.get(i))
                                    : expected.get(i));
        }
    }

    private Decision byMemory(PendingCall call) {
        Acquisition acquisition = new Acquisition(call.charges, Optional.empty(), call.times);
        return switch (call.operation) {
            case ACQUIRE, TRY -> {
                boolean mayWait = call.operation == Operation.TRY;
                Decision decision = memory.acquire(mayWait ? acquisition.withMaxWait(Duration.ofDays(1)) : acquisition);
                if (decision.allowed()) {
                    batches.taken(call);
                }
                yield decision;
            }
            case PEEK -> memory.peek(acquisition);
            case BAN -> {
                memory.ban(call.charges.get(0).limit(), call.charges.get(0).subject());
                yield Asked.answer(call).join();
            }
            case BLOCK -> {
                Charge blocked = call.charges.get(0);
                Duration length = Micros.toDuration(call.actual()[0]);
                memory.cap(blocked.limit(), blocked.subject(), call.resetAfterMicros()[0], length);
                yield Asked.answer(call).join();
            }
            case FAIL -> {
                // a settlement at what was charged changes nothing else
                memory.settle(
                        acquisition,
                        taken(call, clock.get(), 0),
                        call.charges.get(0).cost());
                yield Asked.answer(call).join();
            }
            case SETTLE -> {
                memory.settle(acquisition, taken(call, call.takenAtMicros(), call.resetAfterMicros()), call.actual());
                yield Asked.answer(call).join();
            }
        };
    }

    private static Decision taken(PendingCall call, long takenAtMicros, long... resetAfterMicros) {
        List<LimitStatus> statuses = IntStream.range(0, call.charges.size())
                .mapToObj(i -> LimitStatus.ofMicros(call.charges.get(i).limit(), 0, 0, resetAfterMicros[i]))
                .toList();
        return Decision.of(statuses, Micros.toInstant(takenAtMicros));
    }

    /** All calls of an entry were decided at once, so each gets the resetAfter that holds after all of them. */
    private static Decision withResetOf(Decision last, Decision decision) {
        List<LimitStatus> statuses = new ArrayList<>();
        for (int i = 0; i < decision.limits().size(); i++) {
            LimitStatus status = decision.limits().get(i);
            Duration resetAfter = last.limits().get(i).resetAfter();
            statuses.add(new LimitStatus(status.limit(), status.remaining(), status.retryAfter(), resetAfter)
                    .afterGivingBack(Micros.of(status.givenBack())));
        }
        return new Decision(decision.allowed(), statuses, decision.source(), decision.decidedAt(), decision.taken());
    }
}
