package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Ends of calls that share an entry reach Redis in another order than that of the calls: each frees its own slot. */
@ExtendWith(NoThreadsLeft.class)
class EndsOfOneMomentTest {

    private static final int MOST = 10;
    private static final long HOUR = TimeUnit.HOURS.toMicros(1);
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Limit SLOTS = Limit.of("slots", Algorithm.CONCURRENCY, MOST, Duration.ofHours(1));
    private static final long MOMENT = at("12:00:00");

    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn();
    private final CommandRunner runner = new CommandRunner(RedisConnections.of(redis.connection()));
    private final OpenCalls open = new OpenCalls();

    @AfterEach
    void close() {
        runner.close();
        redis.close();
    }

    /** As of a node that has not got the script yet, or whose slot has moved. */
    @Test
    void oneThatTakesAwayIsUnderWayForLongerThanOthersThatSayWhatMayStay() {
        acquire(1, MOMENT - 1);
        Decision decision = acquire(4, MOMENT);
        PendingCall first = end(decision);
        Sent underWay = new Sent(end(decision));
        first.repeatFromNanos(System.nanoTime());

        new Sent(end(decision)).run();
        underWay.run();
        new Sent(first.again(MINUTE_NANOS)).run();

        assertThat(inFlight()).isEqualTo(2);
        redis.setClock(MOMENT - 1 + HOUR);
        assertThat(inFlight()).as("of that moment").isEqualTo(1);
    }

    /** As where several batches are in flight. */
    @Test
    void oneThatSaysWhatMayStayIsUnderWayForLongerThanALaterOne() {
        Decision decision = acquire(4, MOMENT);
        PendingCall first = end(decision, 0);
        first.repeatFromNanos(System.nanoTime());
        new Sent(first.again(MINUTE_NANOS)).run();
        Sent underWay = new Sent(end(decision));

        new Sent(end(decision)).run();
        underWay.run();
        new Sent(end(decision)).run();

        assertThat(inFlight()).isZero();
    }

    /** As while Redis refuses to write. */
    @Test
    void oneWaitsAndAnotherDoesNot() {
        Decision decision = acquire(2, MOMENT);
        PendingCall first = end(decision);
        first.repeatFromNanos(System.nanoTime());
        PendingCall waiting = first.later(MINUTE_NANOS);

        new Sent(end(decision)).run();
        new Sent(waiting).run();

        assertThat(inFlight()).isZero();
    }

    private Decision acquire(long cost, long micros) {
        redis.setClock(micros);
        Acquisition acquisition = Acquisition.of(SLOTS, "alice", cost);
        open.admitted(acquisition.charges(), 1, micros);
        return redis.limiter().acquire(acquisition);
    }

    private PendingCall end(Decision decision) {
        return end(decision, MINUTE_NANOS);
    }

    /** @param nanos until Redis makes it no more */
    private PendingCall end(Decision decision, long nanos) {
        List<Charge> one = List.of(new Charge(SLOTS, "alice", 1));
        return Asked.settling(one, new long[1], decision, open, System.nanoTime() + nanos);
    }

    private long inFlight() {
        return MOST - redis.limiter().peek(Acquisition.of(SLOTS, "alice")).remaining();
    }

    /** What is sent to Redis, which has it when it is run. */
    private final class Sent {

        private final Batch batch;
        private final byte[] request;

        Sent(PendingCall call) {
            batch = new Batch(List.of(call));
            request = EngineRequest.of(batch, 0);
        }

        void run() {
            EngineScript script = EngineScript.of(redis.clockText, batch.fragments());
            runner.run(script, batch.keys(new StateKeyFormat(redis.prefix)), request)
                    .orTimeout(1, TimeUnit.MINUTES)
                    .join();
        }
    }
}
