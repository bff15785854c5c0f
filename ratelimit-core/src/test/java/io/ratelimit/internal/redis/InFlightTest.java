package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many calls under way at once travel in batches, and are counted one by one all the same. */
@ExtendWith(NoThreadsLeft.class)
class InFlightTest {

    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn().withoutExpiry();

    InFlightTest() {
        redis.setClock(1_773_489_600_000_000L);
    }

    @AfterEach
    void close() {
        redis.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void callsOfOneSubjectAtOnceAdmitExactlyTheLimitAndEachItsOwnRemaining(Algorithm algorithm) {
        Limit limit = hourly("hot", algorithm, 1_000);

        List<Decision> decisions = acquireAtOnce(Collections.nCopies(3_000, Acquisition.of(limit, "alice")));

        assertThat(decisions.stream().filter(Decision::allowed).map(Decision::remaining))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 1_000).boxed().toList());
        assertThat(decisions.stream().filter(decision -> !decision.allowed()).map(Decision::remaining))
                .containsOnly(0L);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void callsOfManySubjectsAtOnceAdmitExactlyTheLimitOfEach(Algorithm algorithm) {
        Limit limit = hourly("each", algorithm, 10);
        List<Acquisition> calls = IntStream.range(0, 4_000)
                .mapToObj(i -> Acquisition.of(limit, "subject " + i % 200))
                .toList();

        List<Decision> decisions = acquireAtOnce(calls);

        for (int subject = 0; subject < 200; subject++) {
            int modulo = subject;
            assertThat(IntStream.range(0, 4_000)
                            .filter(i -> i % 200 == modulo && decisions.get(i).allowed()))
                    .hasSize(10);
        }
    }

    @Test
    void differentCostsAtOnceNeverTakeMoreThanThereIs() {
        SeededRandom random = SeededRandom.of("in flight");
        Limit limit = hourly("hot", Algorithm.TOKEN_BUCKET, 1_000);
        List<Acquisition> calls = IntStream.range(0, 2_000)
                .mapToObj(i -> Acquisition.of(limit, "alice", random.between(1, 9)))
                .toList();

        List<Decision> decisions = acquireAtOnce(calls);

        long taken = IntStream.range(0, 2_000)
                .filter(i -> decisions.get(i).allowed())
                .mapToLong(i -> calls.get(i).charges().get(0).cost())
                .sum();
        assertThat(taken).as(SeededRandom.seed()).isEqualTo(1_000);
    }

    @Test
    void severalLimitsAtOnceStayAllOrNothing() {
        Limit burst = hourly("burst", Algorithm.TOKEN_BUCKET, 100);
        Limit tenant = hourly("tenant", Algorithm.SLIDING_WINDOW_LOG, 250);
        List<Acquisition> calls = IntStream.range(0, 2_000)
                .mapToObj(i -> Acquisition.of(burst, "user " + i % 4).and(tenant, "acme"))
                .toList();

        assertThat(acquireAtOnce(calls).stream().filter(Decision::allowed)).hasSize(250);
        long taken = IntStream.range(0, 4)
                .mapToLong(user -> 100
                        - redis.limiter()
                                .peek(Acquisition.of(burst, "user " + user))
                                .remaining())
                .sum();
        assertThat(taken).isEqualTo(250);
    }

    @Test
    void limitsOfDifferentNumbersAtOnceHoldEachByItsOwn() {
        Limit free = hourly("plan", Algorithm.FIXED_WINDOW, 10);
        Limit paid = hourly("plan", Algorithm.FIXED_WINDOW, 1_000);
        List<Acquisition> calls = IntStream.range(0, 1_000)
                .mapToObj(i -> Acquisition.of(i % 2 == 0 ? free : paid, "alice"))
                .toList();

        List<Decision> decisions = acquireAtOnce(calls);

        assertThat(IntStream.range(0, 1_000)
                        .filter(i -> i % 2 == 1)
                        .mapToObj(decisions::get)
                        .filter(Decision::allowed))
                .hasSize(500);
        assertThat(IntStream.range(0, 1_000)
                        .filter(i -> i % 2 == 0)
                        .mapToObj(decisions::get)
                        .filter(Decision::allowed))
                .hasSizeLessThanOrEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void sixtyFourThreadsAdmitExactlyTheLimit(Algorithm algorithm) {
        Limit limit = hourly("hot", algorithm, 1_000);

        List<Long> admitted = Threads.run(
                64,
                thread -> () -> IntStream.range(0, 30)
                        .filter(i -> redis.limiter()
                                .acquire(Acquisition.of(limit, "alice"))
                                .allowed())
                        .count());

        assertThat(admitted.stream().mapToLong(Long::longValue).sum()).isEqualTo(1_000);
    }

    private List<Decision> acquireAtOnce(List<Acquisition> calls) {
        List<CompletableFuture<Decision>> answers = new ArrayList<>();
        calls.forEach(call -> answers.add(redis.limiter().acquireAsync(call).toCompletableFuture()));
        return answers.stream()
                .map(answer -> answer.orTimeout(1, TimeUnit.MINUTES).join())
                .toList();
    }

    private static Limit hourly(String name, Algorithm algorithm, long maxRequests) {
        return Limit.of(name, algorithm, maxRequests, Duration.ofHours(1));
    }
}
