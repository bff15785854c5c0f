package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.internal.call.StateId;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is kept of an outage until Redis is back. */
class CallQueueTest {

    private static final Limit LIMIT = Limit.of("partner", Algorithm.FIXED_WINDOW, 10, Duration.ofHours(1));
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final CallQueue queue = new CallQueue();

    @Test
    void blocksOfOneSubjectTakeNoPlaceOfSettlements() {
        for (int i = 0; i < 10_000; i++) {
            queue.keep(block("alice", 0, Duration.ofMinutes(1)));
        }
        PendingCall settlement = settlement();

        queue.keep(settlement);

        assertThat(queue.next()).hasSize(2).contains(settlement);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void blocksOfManySubjectsTakeNoPlaceOfSettlements() {
        for (int i = 0; i < 11_000; i++) {
            queue.keep(block("user " + i, 0, Duration.ofMinutes(1)));
        }
        PendingCall settlement = settlement();

        queue.keep(settlement);

        assertThat(queue.next()).hasSize(512).contains(settlement);
        assertThat(allKept()).hasSize(10_000 - 511);
    }

    @Test
    void whereAllPlacesAreTakenASubjectKeepsItsOwn() {
        for (int i = 0; i < 10_000; i++) {
            queue.keep(block("user " + i, 0, Duration.ofMinutes(1)));
        }
        PendingCall last = block("user 7", 0, Duration.ofHours(1));

        queue.keep(last);

        assertThat(allKept()).hasSize(10_000).contains(last);
    }

    @Test
    void blocksThatAreOverTakeNoPlaceOfOthers() {
        for (int i = 0; i < 10_000; i++) {
            queue.keep(block("user " + i, 0, Duration.ZERO));
        }
        PendingCall block = block("alice", 0, Duration.ofMinutes(1));

        queue.keep(block);

        assertThat(allKept()).contains(block);
    }

    @Test
    void ofSeveralBlocksTheOneIsKeptThatEndsLast() {
        keep(
                block("alice", 0, Duration.ofMinutes(1)),
                block("alice", 0, Duration.ofHours(1)),
                block("alice", 0, Duration.ofMinutes(2)));

        assertThat(queue.next()).extracting(CallQueueTest::text).containsExactly("0 for PT1H");
    }

    @Test
    void ofSeveralCapsTheLowestIsKept() {
        keep(
                block("alice", 5, Duration.ofHours(9)),
                block("alice", 3, Duration.ofHours(1)),
                block("alice", 3, Duration.ofHours(2)),
                block("alice", 4, Duration.ofHours(9)));

        assertThat(queue.next()).extracting(CallQueueTest::text).containsExactly("3 for PT2H");
    }

    /** What began early in an outage and what began late hold both when Redis is back. */
    @Test
    void theOneThatIsKeptIsTriedAsLongAsEither() {
        long nowNanos = System.nanoTime();
        PendingCall early = Asked.blocking(charge("alice"), Micros.of(Duration.ofHours(1)), 0)
                .later(TimeUnit.MINUTES.toNanos(1));
        PendingCall late = block("alice", 0, Duration.ofMinutes(30));

        keep(early, late);

        assertThat(queue.overdue(nowNanos + KEPT_NANOS - 1)).isEmpty();
        assertThat(queue.next()).extracting(CallQueueTest::text).containsExactly("0 for PT1H");

        keep(late, early);

        assertThat(queue.overdue(nowNanos + KEPT_NANOS - 1)).isEmpty();
        assertThat(queue.next()).extracting(CallQueueTest::text).containsExactly("0 for PT1H");
    }

    /** Redis may be back between the ends of both. */
    @Test
    void aCapIsKeptBesideABlock() {
        PendingCall block = block("alice", 0, Duration.ofSeconds(1));
        PendingCall cap = block("alice", 3, Duration.ofHours(1));

        keep(block, cap);

        assertThat(queue.next()).containsExactlyInAnyOrder(block, cap);
    }

    @Test
    void oneThatIsOverIsKeptInPlaceOfNone() {
        PendingCall over = block("alice", 1, Duration.ZERO);
        PendingCall cap = block("alice", 3, Duration.ofHours(1));

        keep(over, cap, over);

        assertThat(queue.next()).containsExactly(cap);
    }

    @Test
    void blocksThatAreDroppedAreThoseOfTheSubject() {
        PendingCall other = block("bob", 0, Duration.ofHours(1));
        keep(block("alice", 0, Duration.ofHours(1)), block("alice", 3, Duration.ofHours(1)), other);

        queue.dropBlocks(StateId.of(LIMIT, "alice"));

        assertThat(queue.next()).containsExactly(other);
    }

    private List<PendingCall> allKept() {
        return Stream.generate(queue::next)
                .takeWhile(calls -> !calls.isEmpty())
                .flatMap(List::stream)
                .toList();
    }

    private void keep(PendingCall... calls) {
        for (PendingCall call : calls) {
            queue.keep(call);
        }
    }

    private static PendingCall block(String subject, long remaining, Duration length) {
        return Asked.blocking(charge(subject), Micros.of(length), remaining).later(KEPT_NANOS);
    }

    private static Charge charge(String subject) {
        return new Charge(LIMIT, subject, 1);
    }

    /** What the block admits, and for how long, in whole minutes. */
    private static String text(PendingCall block) {
        long minutes = Math.round(block.actual()[0] / 60e6);
        return "%d for %s".formatted(block.resetAfterMicros()[0], Duration.ofMinutes(minutes));
    }

    private static PendingCall settlement() {
        Decision decided =
                Decision.of(List.of(LimitStatus.ofMicros(LIMIT, 0, 0, 0)), Micros.toInstant(TestTime.at("12:00:00")));
        return Asked.call(Operation.ACQUIRE, Acquisition.of(LIMIT, "alice").charges(), 1, 0)
                .lateRefund(decided, new OpenCalls(), KEPT_NANOS);
    }
}
