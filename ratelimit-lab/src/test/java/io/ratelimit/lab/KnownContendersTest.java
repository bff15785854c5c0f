package io.ratelimit.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Limiters whose behaviour is known: what the marks must say of them, at times that the test sets. */
class KnownContendersTest {

    private static final Rate HUNDRED = Rate.perSecond(100);
    private static final long START = 1_000_000_000_000L;

    private final AtomicLong nowMicros = new AtomicLong();

    private Marks marks(int known, List<Planned> plan) {
        Contender contender = Contenders.known().get(known);
        Setup setup = new Setup(null, HUNDRED, "", StoreClock.showing(nowMicros::get), new ConcurrentHashMap<>());
        List<Call> calls = new ArrayList<>();
        try (Limiter limiter = contender.open(setup, ClockError.NONE)) {
            for (Planned planned : plan) {
                nowMicros.set(START + planned.atMicros());
                calls.add(call(planned, limiter.tryAcquire("alice", planned.cost())));
            }
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
        return Marks.of(plan, calls, Oracle.of(contender.promise(), HUNDRED));
    }

    private static Call call(Planned planned, Answer answer) {
        long atMicros = answer.decidedAtMicros().orElseThrow();
        return new Call(
                atMicros,
                atMicros,
                0,
                planned.actual(),
                answer.allowed() ? Call.Outcome.ALLOWED : Call.Outcome.REFUSED,
                answer.retryAfterMicros(),
                0);
    }

    private static List<Planned> boundary() {
        return Plans.bursts(100, 0.85, 1.02);
    }

    @Test
    void whatAdmitsEverythingIsFoundTo() {
        Marks marks = marks(0, Plans.bursts(300, 0.5));
        assertThat(marks.admitted()).isEqualTo(300);
        assertThat(marks.oracle()).isEqualTo(100);
        assertThat(marks.difference()).isEqualTo(200);
        assertThat(marks.mostInWindow()).isEqualTo(300);
    }

    @Test
    void whatIsExactIsFoundRight() {
        Random random = new Random(5);
        List<Planned> plan = Plans.each(Plans.paced(150, 5, 1, random), call -> call.costing(random.nextLong(1, 40)));
        Marks marks = marks(1, plan);
        assertThat(marks.difference()).isZero();
        assertThat(marks.mostInWindow()).isLessThanOrEqualTo(100);
        assertThat(marks.waits().checked()).isGreaterThan(100);
        assertThat(marks.waits().early()).isZero();
        assertThat(marks.waits().lateMicros()).containsOnly(0L);
    }

    @Test
    void whatIsTwiceAsGenerousAtABoundaryIsFoundToBeSo() {
        Marks marks = marks(2, boundary());
        assertThat(marks.admitted()).isEqualTo(200);
        assertThat(marks.oracle()).isEqualTo(100);
        assertThat(marks.differencePercent()).isEqualTo(100);
        assertThat(marks.mostInWindow()).isEqualTo(200);
    }

    @Test
    void whatIsExactAdmitsHalfOfThatBurst() {
        Marks marks = marks(1, boundary());
        assertThat(marks.admitted()).isEqualTo(100);
        assertThat(marks.difference()).isZero();
    }

    @Test
    void callsCountAsWhatTheyReallyCost() {
        Marks marks = marks(0, Plans.each(Plans.bursts(5, 0.5), call -> call.estimated(20, 40)));
        assertThat(marks.offered()).isEqualTo(200);
        assertThat(marks.admitted()).isEqualTo(200);
        assertThat(marks.oracle()).isEqualTo(80);
        assertThat(marks.mostInWindow()).isEqualTo(200);
    }
}
