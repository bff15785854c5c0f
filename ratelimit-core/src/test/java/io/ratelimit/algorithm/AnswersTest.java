package io.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.testing.SeededRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the times in an answer promise, for every algorithm, random limits and random histories. */
class AnswersTest {

    private static final int HISTORIES = 2_000;

    @ParameterizedTest
    @EnumSource
    void aCallIsRefusedOneMicrosecondBeforeItsRetryAfterAndAdmittedAtIt(Algorithm algorithm) {
        SeededRandom random = SeededRandom.of("retryAfter " + algorithm);
        for (int i = 0; i < HISTORIES; i++) {
            RandomCalls calls = RandomCalls.of(algorithm, random).make(30);
            long now = calls.nowMicros();
            long cost = calls.cost();
            long retryAfter = calls.subject.retryAfter(cost, now);
            if (retryAfter > 0) {
                assertThat(calls.subject.retryAfter(cost, now + retryAfter - 1))
                        .as(SeededRandom.seed())
                        .isEqualTo(1);
            }
            assertThat(calls.subject.admits(cost, now + retryAfter))
                    .as(SeededRandom.seed())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void allOfTheQuotaIsFreeAtResetAfterAndNotOneMicrosecondEarlier(Algorithm algorithm) {
        SeededRandom random = SeededRandom.of("resetAfter " + algorithm);
        for (int i = 0; i < HISTORIES; i++) {
            RandomCalls calls = RandomCalls.of(algorithm, random).make(30);
            long now = calls.nowMicros();
            long capacity = calls.subject.quota().capacity();
            long resetAfter = calls.subject.resetAfter(now);
            if (resetAfter > 0) {
                assertThat(calls.subject.remaining(now + resetAfter - 1))
                        .as(SeededRandom.seed())
                        .isLessThan(capacity);
            }
            assertThat(calls.subject.remaining(now + resetAfter))
                    .as(SeededRandom.seed())
                    .isEqualTo(capacity);
        }
    }

    @ParameterizedTest
    @EnumSource
    void remainingIsTheLargestCostThatIsAdmitted(Algorithm algorithm) {
        SeededRandom random = SeededRandom.of("remaining " + algorithm);
        for (int i = 0; i < HISTORIES; i++) {
            RandomCalls calls = RandomCalls.of(algorithm, random).make(30);
            long now = calls.nowMicros();
            long remaining = calls.subject.remaining(now);
            if (remaining < calls.subject.quota().capacity()) {
                assertThat(calls.subject.retryAfter(remaining + 1, now))
                        .as(SeededRandom.seed())
                        .isPositive();
            }
            assertThat(remaining == 0 || calls.subject.admits(remaining, now))
                    .as(SeededRandom.seed())
                    .isTrue();
            assertThat(calls.subject.remaining(now)).as(SeededRandom.seed()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void askingChangesNothing(Algorithm algorithm) {
        SeededRandom random = SeededRandom.of("asking " + algorithm);
        for (int i = 0; i < HISTORIES; i++) {
            RandomCalls calls = RandomCalls.of(algorithm, random).make(30);
            long now = calls.nowMicros();
            long cost = calls.cost();
            String before = answers(calls.subject, cost, now);
            long later = now + random.between(0, 3 * calls.subject.quota().windowMicros());

            answers(calls.subject, cost, later);

            assertThat(answers(calls.subject, cost, now))
                    .as(SeededRandom.seed())
                    .isEqualTo(before);
        }
    }

    private static String answers(Subject subject, long cost, long nowMicros) {
        return subject.retryAfter(cost, nowMicros) + " " + subject.remaining(nowMicros) + " "
                + subject.resetAfter(nowMicros);
    }
}
