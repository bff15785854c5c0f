package io.ratelimit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A batch is full at about 128 states, or at 512 asks. */
class CallQueueTest {

    private final CallQueue waiting = new CallQueue();

    @Test
    void asksOfDifferentSubjectsMakeAFullBatchOf128() {
        ask(127, i -> List.of("subject " + i));
        assertThat(waiting.areFullBatch()).isFalse();
        ask(500, i -> List.of("other subject " + i));
        assertThat(waiting.areFullBatch()).isTrue();

        assertThat(waiting.next()).hasSize(128);
        assertThat(waiting.next()).hasSize(128);
    }

    @Test
    void asksThatShareOneStateWaitUntilTheWayIsFree() {
        waiting.learnFrom(batch(100, i -> List.of("alice")));

        ask(5_000, i -> List.of("alice"));

        assertThat(waiting.areFullBatch()).isFalse();
        assertThat(waiting.next()).hasSize(512);
    }

    @Test
    void asksOfManyStatesEachMakeAFullBatchOfFew() {
        waiting.learnFrom(batch(10, i -> List.of("user " + i, "tenant " + i, "plan " + i, "all " + i)));

        ask(32, i -> List.of("user " + i, "tenant " + i, "plan " + i, "all " + i));

        assertThat(waiting.areFullBatch()).isTrue();
        assertThat(waiting.next()).hasSize(32);
    }

    @Test
    void anAskOfMoreStatesThanABatchHoldsIsABatch() {
        waiting.learnFrom(batch(
                1, i -> IntStream.range(0, 200).mapToObj(n -> "subject " + n).toList()));

        ask(2, i -> List.of("alice"));

        assertThat(waiting.next()).hasSize(1);
        assertThat(waiting.next()).hasSize(1);
        assertThat(waiting.isEmpty()).isTrue();
    }

    @Test
    void thoseThatWereToldLeaveWithoutATrace() {
        ask(300, i -> List.of("subject " + i));
        waiting.overdue(System.nanoTime() + Duration.ofHours(1).toNanos()).forEach(ask -> ask.cancel(false));

        assertThat(waiting.next()).isEmpty();
        assertThat(waiting.isEmpty()).isTrue();
        assertThat(waiting.areFullBatch()).isFalse();
    }

    private void ask(int times, IntFunction<List<String>> subjects) {
        waiting.addAll(batch(times, subjects).asks);
    }

    private static Batch batch(int times, IntFunction<List<String>> subjects) {
        return new Batch(
                IntStream.range(0, times).mapToObj(i -> ask(subjects.apply(i))).toList());
    }

    private static PendingCall ask(List<String> subjects) {
        Limit limit = Limit.of("each", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1));
        List<Charge> charges =
                subjects.stream().map(subject -> new Charge(limit, subject, 1)).toList();
        return new PendingCall(PendingCall.Operation.ACQUIRE, charges, 0, System.nanoTime() + 1_000_000_000);
    }
}
