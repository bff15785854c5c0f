package io.ratelimit.internal.numbers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.LimitProvider.Numbers;
import io.ratelimit.LimitProvider.Outcome;
import io.ratelimit.testing.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** When numbers are looked up, and what is used meanwhile. */
class ProvidedLimitsTest {

    private static final Limit FIVE = Limit.of("five", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));

    private final ManualTime time = new ManualTime(1_000_000);
    private final AtomicInteger lookUps = new AtomicInteger();
    private final List<Outcome> outcomes = new CopyOnWriteArrayList<>();
    private volatile LimitProvider provider = (limit, subject) -> Optional.of(Numbers.of(9));
    private final ProvidedLimits limits = new ProvidedLimits(
            (limit, subject) -> {
                lookUps.incrementAndGet();
                return provider.numbers(limit, subject);
            },
            List.of(new DecisionListener() {
                @Override
                public void onDecision(Acquisition acquisition, Decision decision) {}

                @Override
                public void onLookUp(Limit limit, Outcome outcome) {
                    outcomes.add(outcome);
                }
            }),
            time.scheduler(),
            time::nanos);

    @AfterEach
    void close() {
        limits.close();
    }

    @Test
    void numbersAreUsedForAMinuteAndLookedUpAhead() {
        assertThat(known()).isEqualTo(9);
        provider = (limit, subject) -> Optional.of(Numbers.of(12));

        time.passSeconds(49);
        assertThat(known()).isEqualTo(9);
        assertThat(lookUps).hasValue(1);

        time.passSeconds(1);
        limits.of(FIVE, "alice");
        await().until(() -> known() == 12);
        assertThat(lookUps).hasValue(2);
        await().until(() -> outcomes.equals(List.of(Outcome.FOUND, Outcome.FOUND)));
    }

    @Test
    void whatItGaveLastIsKeptWhileItFails() {
        assertThat(known()).isEqualTo(9);
        provider = (limit, subject) -> {
            throw new IOException("down");
        };
        for (int failures = 1; failures <= 5; failures++) {
            time.passSeconds(50);
            int expected = failures;
            assertThat(known()).isEqualTo(9);
            await().until(() -> outcomes.stream().filter(Outcome.FAILED::equals).count() == expected);
            assertThat(known()).isEqualTo(9);
        }
        provider = (limit, subject) -> Optional.empty();
        time.passSeconds(10);
        limits.of(FIVE, "alice");
        await().until(() -> known() == 5);
    }

    @Test
    void aSubjectThatComesBackWaitsForItsNumbersAsAtFirst() {
        assertThat(known()).isEqualTo(9);
        CountDownLatch slow = new CountDownLatch(1);
        provider = (limit, subject) -> {
            slow.await();
            return Optional.of(Numbers.of(1));
        };
        time.passSeconds(60);

        assertThat(limits.of(FIVE, "alice").first()).isNotDone();
        assertThat(limits.of(FIVE, "alice").first()).isNotDone();

        slow.countDown();
        assertThat(known()).isEqualTo(1);
        assertThat(lookUps).hasValue(2);
    }

    @Test
    void aProviderThatCannotSayWhomItProvidesForProvidesForNobody() {
        try (ProvidedLimits broken = new ProvidedLimits(
                new LimitProvider() {
                    @Override
                    public boolean provides(Limit limit) {
                        throw new AssertionError("on purpose");
                    }

                    @Override
                    public Optional<Numbers> numbers(Limit limit, String subject) {
                        return Optional.of(Numbers.of(1));
                    }
                },
                List.of(),
                time.scheduler(),
                time::nanos)) {
            assertThat(broken.isProvided(FIVE)).isFalse();
        }
    }

    static Stream<LimitProvider> nonsense() {
        return Stream.of(
                (limit, subject) -> null,
                (limit, subject) -> Optional.of(Numbers.of(-1)),
                (limit, subject) -> Optional.of(Numbers.of(0)),
                (limit, subject) -> Optional.of(Numbers.of(Long.MAX_VALUE)),
                (limit, subject) -> Optional.of(Numbers.of(9).withBurst(3)),
                (limit, subject) -> Optional.of(new Numbers(9, null)),
                (limit, subject) -> {
                    throw new IllegalStateException(subject);
                },
                (limit, subject) -> {
                    throw new AssertionError(subject);
                });
    }

    @ParameterizedTest
    @MethodSource("nonsense")
    void nonsenseIsAFailureAndMeansTheLimitsOwnNumbers(LimitProvider nonsense) {
        provider = nonsense;
        assertThat(known()).isEqualTo(5);
        await().until(() -> outcomes.equals(List.of(Outcome.FAILED)));
        time.passSeconds(9);
        assertThat(known()).isEqualTo(5);
        assertThat(lookUps).hasValue(1);
    }

    @Test
    void oneThatHangsIsInterruptedAndAskedAgain() {
        CountDownLatch asked = new CountDownLatch(1);
        provider = (limit, subject) -> {
            asked.countDown();
            new CountDownLatch(1).await();
            return Optional.empty();
        };
        limits.of(FIVE, "alice");
        await().until(() -> asked.getCount() == 0);
        time.passSeconds(10);
        await().until(() -> outcomes.equals(List.of(Outcome.FAILED)));

        provider = (limit, subject) -> Optional.of(Numbers.of(9));
        time.passSeconds(10);
        limits.of(FIVE, "alice");
        await().until(() -> known() == 9);
    }

    @Test
    void oneThatIgnoresItsInterruptionHasFailedAllTheSame() {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch socket = new CountDownLatch(1);
        provider = (limit, subject) -> {
            asked.countDown();
            boolean interrupted = true;
            while (interrupted) {
                try {
                    socket.await();
                    interrupted = false;
                } catch (InterruptedException ignored) {
                    interrupted = true;
                }
            }
            return Optional.of(Numbers.of(9));
        };
        limits.of(FIVE, "alice");
        await().until(() -> asked.getCount() == 0);
        time.passSeconds(10);
        await().until(() -> outcomes.equals(List.of(Outcome.FAILED)));
        assertThat(known()).isEqualTo(5);

        time.passSeconds(10);
        limits.of(FIVE, "alice");
        assertThat(lookUps).hasValue(1);
        provider = (limit, subject) -> Optional.of(Numbers.of(12));
        socket.countDown();
        await().until(() -> known() == 12);
        await().until(() -> outcomes.equals(List.of(Outcome.FAILED, Outcome.FOUND)));
    }

    @Test
    void oneLookUpOfASubjectIsUnderWayAtATime() {
        CountDownLatch go = new CountDownLatch(1);
        provider = (limit, subject) -> {
            go.await();
            return Optional.of(Numbers.of(9));
        };
        for (int i = 0; i < 100; i++) {
            limits.of(FIVE, "alice");
        }
        go.countDown();
        await().until(() -> known() == 9);
        assertThat(lookUps).hasValue(1);
    }

    @Test
    void aLimitWithALeaseOrShardsIsNotAskedFor() {
        assertThat(limits.isProvided(FIVE)).isTrue();
        assertThat(limits.isProvided(FIVE.withLease(2))).isFalse();
        assertThat(limits.isProvided(FIVE.withShards(2))).isFalse();
    }

    @Test
    void aBucketKeepsItsBurstUnlessItGetsAnother() {
        Limit bucket = Limit.of("bucket", Algorithm.TOKEN_BUCKET, 5, Duration.ofHours(1))
                .withBurst(20);
        limits.of(bucket, "alice").first().join();
        assertThat(limits.of(bucket, "alice").of(bucket).capacity()).isEqualTo(20);
        provider = (limit, subject) -> Optional.of(Numbers.of(9).withBurst(30));
        limits.of(bucket, "bob").first().join();
        assertThat(limits.of(bucket, "bob").of(bucket).capacity()).isEqualTo(30);
        assertThat(limits.of(bucket, "bob").of(bucket).plan()).contains("provider");
    }

    @Test
    void anOutageIsLoggedOnceAndItsEnd() {
        Logger warnings = (Logger) LoggerFactory.getLogger("io.ratelimit.RL-462");
        Logger infos = (Logger) LoggerFactory.getLogger(LimitProvider.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        warnings.addAppender(logged);
        infos.addAppender(logged);
        try {
            provider = (limit, subject) -> {
                throw new IllegalStateException("about " + subject);
            };
            for (int i = 0; i < 20; i++) {
                limits.of(FIVE, "secret " + i).first().join();
            }
            provider = (limit, subject) -> Optional.empty();
            limits.of(FIVE, "another").first().join();
            await().until(() -> outcomes.size() == 21);
            assertThat(logged.list).hasSize(1);
            assertThat(logged.list.get(0).getFormattedMessage())
                    .startsWith("RL-462: ")
                    .contains("IllegalStateException")
                    .doesNotContain("secret");

            time.passSeconds(60);
            limits.of(FIVE, "yet another").first().join();
            await().until(() -> logged.list.size() == 2);
        } finally {
            warnings.detachAppender(logged);
            infos.detachAppender(logged);
        }
    }

    @Test
    void nobodyWaitsOnceItIsClosed() {
        provider = (limit, subject) -> {
            new CountDownLatch(1).await();
            return Optional.empty();
        };
        ProvidedNumbers before = limits.of(FIVE, "alice");
        limits.close();
        assertThat(before.first()).isDone();
        assertThat(limits.of(FIVE, "bob").first()).isDone();
    }

    /** More subjects than are kept call more often, while ten thousand wait for their look-up. */
    @Test
    void nobodyWaitsOnceItIsClosedOfWhomNothingIsKept() {
        ProvidedLimits hanging = new ProvidedLimits(
                (limit, subject) -> {
                    new CountDownLatch(1).await();
                    return Optional.empty();
                },
                List.of(),
                time.scheduler(),
                time::nanos);
        List<ProvidedNumbers> waiting = IntStream.range(0, 10_000)
                .mapToObj(i -> hanging.of(FIVE, "waiting " + i))
                .toList();
        for (int i = 0; i < 110_000; i++) {
            for (int calls = 0; calls < 3; calls++) {
                hanging.of(FIVE, "subject " + i);
            }
        }

        hanging.close();

        assertThat(waiting).allMatch(numbers -> numbers.first().isDone());
    }

    private long known() {
        ProvidedNumbers numbers = limits.of(FIVE, "alice");
        numbers.first().join();
        return numbers.of(FIVE).maxRequests();
    }
}
