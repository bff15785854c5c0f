package io.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.AdmittedHistory;
import io.ratelimit.testing.AdmittedHistory.Admission;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random schedules of calls that wait, that do not, and that give up. */
public interface WaitingSchedulesContract extends WaitingUnderTest {

    int CALLS = 400;

    /** A call that waits or has waited. */
    record Waited(CompletableFuture<Decision> answer, long askedMicros, long maxWaitMicros, AtomicLong endMicros) {

        boolean isAdmitted() {
            return !answer.isCompletedExceptionally()
                    && answer.isDone()
                    && answer.join().allowed();
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {".*UNIQUE_COUNT", "CONCURRENCY"})
    default void admitNoMoreThanTheLimitInOrderAndInTime(Algorithm algorithm) {
        Limit limit = Limit.of("limit", algorithm, 7, Duration.ofSeconds(10));
        SeededRandom random = SeededRandom.of("waiting " + algorithm);
        AdmittedHistory history = AdmittedHistory.of(List.of());
        List<Waited> all = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            Acquisition some = Acquisition.of(limit, "alice", random.between(1, 4));
            long cost = some.charges().get(0).cost();
            if (random.oneIn(3)) {
                if (limiter().acquire(some).allowed()) {
                    history.add(new Admission(time().micros(), cost));
                }
            } else {
                all.add(waited(
                        some,
                        random.ofAnySize(1, 60_000_000),
                        () -> history.add(new Admission(time().micros(), cost))));
            }
            if (random.oneIn(10) && !all.isEmpty()) {
                all.get((int) random.between(0, all.size() - 1)).answer.cancel(true);
            }
            time().passMicros(random.oneIn(2) ? 0 : random.ofAnySize(1, 5_000_000));
        }
        time().passSeconds(61);

        assertThat(history.mostUsed(algorithm, limit.quota()))
                .as(SeededRandom.seed())
                .isLessThanOrEqualTo(limit.capacity());
        assertThat(all)
                .as(SeededRandom.seed())
                .allSatisfy(call -> assertThat(call.answer).isDone());
        assertThat(all)
                .as(SeededRandom.seed())
                .allSatisfy(call -> assertThat(call.endMicros.get())
                        .isBetween(call.askedMicros, call.askedMicros + call.maxWaitMicros));
        List<Waited> admitted = all.stream()
                .filter(Waited::isAdmitted)
                .filter(call -> call.endMicros.get() > call.askedMicros)
                .toList();
        assertThat(admitted).as(SeededRandom.seed()).isNotEmpty();
        assertThat(admitted)
                .as(SeededRandom.seed())
                .extracting(call -> call.endMicros.get())
                .isSorted();
    }

    @Test
    default void severalLimitsInAnyOrderAreKeptForEachSubjectInOrderAndInTime() {
        List<Limit> limits = List.of(
                Limit.of("log", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofSeconds(7)),
                Limit.of("bucket", Algorithm.TOKEN_BUCKET, 4, Duration.ofSeconds(3)),
                Limit.of("counter", Algorithm.SLIDING_WINDOW_COUNTER, 6, Duration.ofSeconds(5)));
        SeededRandom random = SeededRandom.of("waiting for several");
        Map<Charged, AdmittedHistory> histories = new HashMap<>();
        Map<Set<Charged>, List<Waited>> lines = new HashMap<>();
        for (int i = 0; i < CALLS; i++) {
            Acquisition some = some(limits, random);
            if (random.oneIn(4)) {
                if (limiter().acquire(some).allowed()) {
                    admitted(some, histories);
                }
            } else {
                lines.computeIfAbsent(charged(some), states -> new ArrayList<>())
                        .add(waited(some, random.ofAnySize(1, 60_000_000), () -> admitted(some, histories)));
            }
            if (random.oneIn(10)) {
                List<Waited> line = lines.getOrDefault(charged(some), List.of());
                line.stream().skip(line.size() / 2).limit(1).forEach(call -> call.answer.cancel(true));
            }
            time().passMicros(random.oneIn(2) ? 0 : random.ofAnySize(1, 3_000_000));
        }
        time().passSeconds(61);

        histories.forEach((state, history) -> assertThat(history.mostUsed(state.limit.algorithm(), state.limit.quota()))
                .as(SeededRandom.seed())
                .isLessThanOrEqualTo(state.limit.capacity()));
        assertThat(limiter().waiting()).as(SeededRandom.seed()).isZero();
        assertThat(lines.values()).as(SeededRandom.seed()).allSatisfy(line -> {
            assertThat(line)
                    .allSatisfy(call -> assertThat(call.endMicros.get())
                            .isBetween(call.askedMicros, call.askedMicros + call.maxWaitMicros));
            assertThat(line)
                    .filteredOn(call -> call.isAdmitted() && call.endMicros.get() > call.askedMicros)
                    .extracting(call -> call.endMicros.get())
                    .isSorted();
        });
    }

    /** A limit that was charged to a subject. */
    record Charged(Limit limit, String subject) {}

    private static Acquisition some(List<Limit> limits, SeededRandom random) {
        List<Charge> charges = new ArrayList<>();
        for (int i = (int) random.between(0, 2); i >= 0; i--) {
            Limit limit = limits.get((int) random.between(0, limits.size() - 1));
            if (charges.stream().noneMatch(charge -> charge.limit().equals(limit))) {
                charges.add(new Charge(limit, random.oneOf("alice", "bob"), random.between(1, 3)));
            }
        }
        return new Acquisition(charges);
    }

    private static Set<Charged> charged(Acquisition acquisition) {
        return acquisition.charges().stream()
                .map(charge -> new Charged(charge.limit(), charge.subject()))
                .collect(Collectors.toSet());
    }

    private void admitted(Acquisition acquisition, Map<Charged, AdmittedHistory> histories) {
        acquisition
                .charges()
                .forEach(charge -> histories
                        .computeIfAbsent(
                                new Charged(charge.limit(), charge.subject()), state -> AdmittedHistory.of(List.of()))
                        .add(new Admission(time().micros(), charge.cost())));
    }

    private Waited waited(Acquisition some, long maxWaitMicros, Runnable admitted) {
        long asked = time().micros();
        AtomicLong end = new AtomicLong();
        CompletableFuture<Decision> answer = limiter()
                .acquireAsync(some, Duration.ofNanos(maxWaitMicros * 1_000))
                .toCompletableFuture();
        answer.whenComplete((decision, failure) -> {
            end.set(time().micros());
            if (failure == null && decision.allowed()) {
                admitted.run();
            }
        });
        return new Waited(answer, asked, maxWaitMicros, end);
    }
}
