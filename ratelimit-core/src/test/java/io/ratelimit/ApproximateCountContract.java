package io.ratelimit;

import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Distinct elements that are counted by an estimate: exact for few of them, and close to it for many. */
public interface ApproximateCountContract extends StoreUnderTest {

    Limit THREE_VISITORS = visitors(3);

    @Test
    default void aFewElementsAreCountedAsExactly() {
        setClock(at("12:00:10"));

        assertThat(visits(THREE_VISITORS, "ann")).isTrue();
        assertThat(visits(THREE_VISITORS, "ann")).isTrue();
        assertThat(visits(THREE_VISITORS, "ben")).isTrue();
        assertThat(limiter().acquire(visit(THREE_VISITORS, "cid")).remaining()).isZero();

        LimitStatus refused =
                limiter().acquire(visit(THREE_VISITORS, "dan")).limits().get(0);
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(50));
        assertThat(refused.resetAfter()).isEqualTo(Duration.ofSeconds(50));
        assertThat(visits(THREE_VISITORS, "ben")).isTrue();
        setClock(at("12:01:00"));
        assertThat(limiter().acquire(visit(THREE_VISITORS, "dan")).remaining()).isEqualTo(2);
    }

    @Test
    default void anElementThatIsRefusedIsNotCountedByAnyLimit() {
        Limit five = StoreUnderTest.fivePerMinute(Algorithm.FIXED_WINDOW);
        setClock(at("12:00:10"));
        admitted(5, five, "page");

        assertThat(limiter()
                        .acquire(visit(THREE_VISITORS, "ann").and(five, "page"))
                        .allowed())
                .isFalse();
        assertThat(limiter().peek(visit(THREE_VISITORS, "ann")).remaining()).isEqualTo(3);

        assertThat(visits(THREE_VISITORS, "ann")).isTrue();
        assertThat(visits(THREE_VISITORS, "ben")).isTrue();
        assertThat(visits(THREE_VISITORS, "cid")).isTrue();
        Limit ten = Limit.of("ten", Algorithm.SLIDING_WINDOW_LOG, 10, Duration.ofMinutes(1));
        assertThat(limiter()
                        .acquire(visit(THREE_VISITORS, "dan").and(ten, "page"))
                        .allowed())
                .isFalse();
        assertThat(remaining(ten, "page")).isEqualTo(10);
    }

    /** Then what is taken for known is admitted, and what is not is refused and leaves no trace. */
    @Test
    default void theEstimateStaysAtTheLimitWhateverComes() {
        Limit thousand = visitors(1_000);
        setClock(at("12:00:10"));
        int admitted = 0;
        for (int i = 0; i < 1_100; i++) {
            admitted += visits(thousand, "visitor " + i) ? 1 : 0;
        }
        int again = 0;
        for (int i = 0; i < 1_100; i++) {
            again += visits(thousand, "visitor " + i) ? 1 : 0;
        }

        assertThat(admitted).isBetween(975, 1_030);
        assertThat(again).isEqualTo(admitted);
        assertThat(limiter().peek(visit(thousand, "nobody")).remaining()).isZero();
    }

    @Test
    default void aResetForgetsTheEstimate() {
        setClock(at("12:00:10"));
        visits(THREE_VISITORS, "ann");
        visits(THREE_VISITORS, "ben");

        limiter().reset(THREE_VISITORS, "page");

        assertThat(limiter().acquire(visit(THREE_VISITORS, "cid")).remaining()).isEqualTo(2);
        assertThat(limiter().peek(visit(THREE_VISITORS, "ann")).remaining()).isEqualTo(2);
    }

    @Test
    default void aClockThatStepsBackKeepsTheEstimateForAWindow() {
        setClock(at("12:00:10"));
        visits(THREE_VISITORS, "ann");
        visits(THREE_VISITORS, "ben");
        visits(THREE_VISITORS, "cid");

        setClock(at("11:00:30"));
        assertThat(limiter().acquire(visit(THREE_VISITORS, "dan")).retryAfter()).isEqualTo(Duration.ofMinutes(1));
        setClock(at("11:00:30") + MINUTE);
        assertThat(visits(THREE_VISITORS, "dan")).isTrue();
    }

    private boolean visits(Limit limit, String visitor) {
        return limiter().acquire(visit(limit, visitor)).allowed();
    }

    private static Acquisition visit(Limit limit, String visitor) {
        return Acquisition.of(limit, "page", visitor);
    }

    private static Limit visitors(long most) {
        return Limit.of("visitors", Algorithm.APPROXIMATE_UNIQUE_COUNT, most, Duration.ofMinutes(1));
    }
}
