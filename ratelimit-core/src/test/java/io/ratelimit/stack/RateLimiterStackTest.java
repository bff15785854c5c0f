package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimiterStackTest {

    private static final Acquisition TWO =
            Acquisition.of(Limit.of("five", Algorithm.FIXED_WINDOW, 5, Duration.ofDays(300)), "alice", 2);

    private final List<Long> settled = new ArrayList<>();
    private final RateLimiterStack stack = RateLimiterStack.inMemory()
            .reportOnly(true)
            .listener(new DecisionListener() {
                @Override
                public void onDecision(Acquisition acquisition, Decision decision) {}

                @Override
                public void onSettled(Acquisition acquisition, Decision decision, long[] actual) {
                    settled.add(actual[0]);
                }
            })
            .build();

    @Test
    void listenersHearOnceOfEachSettledDecision() {
        Decision decision = stack.acquire(TWO);
        stack.settle(TWO, decision, 5);
        stack.settle(TWO, decision, 1);
        stack.refund(TWO, decision);

        assertThat(settled).containsExactly(5L);
        assertThat(stack.peek(TWO).remaining()).isZero();
    }

    @Test
    void aCallThatTakesWhatFitsIsAnsweredAsWithoutReportOnlyUnlessNothingFits() {
        Acquisition one = Acquisition.of(TWO.charges().get(0).limit(), "alice");
        stack.acquire(TWO);

        Decision threeUnits = stack.acquireUpTo(one, 5);
        assertThat(threeUnits.taken()).isEqualTo(3);
        assertThat(stack.peek(one).remaining()).isZero();

        Decision nothingLeft = stack.acquireUpTo(one, 5);
        assertThat(nothingLeft.taken()).isEqualTo(5);
        stack.refund(one, nothingLeft);
        assertThat(stack.peek(one).remaining()).isZero();

        stack.refund(one, threeUnits);
        assertThat(stack.peek(one).remaining()).isEqualTo(3);
    }

    @Test
    void aPeekOfReportOnlyAdmitsAsTheCallWould() {
        stack.acquire(Acquisition.of(TWO.charges().get(0).limit(), "alice", 4));
        Decision peeked = stack.peek(TWO);

        assertThat(peeked.allowed()).isEqualTo(stack.acquire(TWO).allowed()).isTrue();
        assertThat(peeked.refusing()).hasSize(1);
    }

    @Test
    void aCallThatOnlyReportOnlyLetThroughIsNotSettled() {
        Decision four = stack.acquire(Acquisition.of(TWO.charges().get(0).limit(), "alice", 4));
        Decision letThrough = stack.acquire(TWO);
        stack.refund(TWO, letThrough);

        assertThat(four.allowed()).isTrue();
        assertThat(letThrough.allowed()).isTrue();
        assertThat(settled).isEmpty();
        assertThat(stack.peek(TWO).remaining()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "-9223372036854775808, PT-2562047788015215H-30M-8S",
        "-1, -1s",
        "0, 0s",
        "86401, 86401s",
        "9223372036854775807, PT2562047788015215H30M7S"
    })
    void aTimeoutOfNoTimeOrOfMoreThanADayIsAnError(long seconds, String quoted) {
        Duration timeout = Duration.ofSeconds(seconds);

        assertThatThrownBy(() -> RateLimiterStack.inMemory().timeout(timeout))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeout '%s' must be at least 1ms and at most a day", quoted);
    }

    @Test
    void manyChargesOfOneCallAreDecidedTogether() {
        List<Charge> charges = IntStream.range(0, 2_000)
                .mapToObj(i -> new Charge(TWO.charges().get(0).limit(), "user" + i, 3))
                .toList();
        Acquisition all = new Acquisition(charges);

        assertThat(stack.acquire(all).limits()).hasSize(2_000);
        assertThat(stack.peek(Acquisition.of(charges.get(1_999).limit(), "user1999"))
                        .remaining())
                .isEqualTo(2);
    }
}
