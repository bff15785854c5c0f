package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.LimitStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Numbers that change while the application runs. */
class LiveNumbersTest {

    private static final Limit HUNDRED = Limit.of("a", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofDays(300));

    private volatile UnaryOperator<Limit> numbers = limit -> limit;
    private final RateLimiterStack stack =
            RateLimiterStack.inMemory().numbers(() -> numbers).build();

    @AfterEach
    void close() {
        stack.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"UNIQUE_COUNT", "APPROXIMATE_UNIQUE_COUNT", "CONCURRENCY"},
            mode = EnumSource.Mode.EXCLUDE)
    void whatIsUsedStaysUsed(Algorithm algorithm) {
        Acquisition forty = Acquisition.of(Limit.of("a", algorithm, 100, Duration.ofDays(300)), "alice", 40);
        assertThat(stack.acquire(forty).remaining()).isEqualTo(60);

        numbers = to(50);
        assertThat(stack.acquire(forty).allowed()).isFalse();
        Decision peeked = stack.peek(forty);
        assertThat(peeked.limits())
                .extracting(status -> status.limit().maxRequests())
                .containsExactly(50L);
        assertThat(peeked.remaining()).isEqualTo(10);

        numbers = to(200);
        assertThat(stack.acquire(forty).remaining()).isEqualTo(120);
        numbers = limit -> limit;
        assertThat(stack.peek(forty).remaining()).isEqualTo(20);
    }

    @Test
    void aDecisionIsSettledByTheNumbersThatMadeIt() {
        Acquisition sixty = Acquisition.of(HUNDRED, "alice", 60);
        numbers = to(80);
        Decision decision = stack.acquire(sixty);
        numbers = to(50);
        stack.settle(sixty, decision, 10);

        assertThat(stack.peek(Acquisition.of(HUNDRED, "alice")).remaining()).isEqualTo(40);
    }

    @Test
    void aDecisionIsSettledOnLimitsThatOnlyReportToo() {
        Limit shadow = Limit.of("shadow", Algorithm.SLIDING_WINDOW_LOG, 60, Duration.ofDays(300))
                .withReportOnly();
        for (UnaryOperator<Limit> inForce : List.<UnaryOperator<Limit>>of(limit -> limit, to(80))) {
            numbers = inForce;
            String subject = "alice" + inForce;
            Acquisition fifty = Acquisition.of(shadow, subject, 50)
                    .and(HUNDRED, subject, 50)
                    .and(shadow, "all " + subject, 50);
            Decision decision = stack.acquire(fifty);
            stack.settle(fifty, decision, 10);

            Decision peeked = stack.peek(
                    Acquisition.of(HUNDRED, subject).and(shadow, subject).and(shadow, "all " + subject));
            assertThat(peeked.remaining())
                    .isEqualTo(peeked.limits().get(0).limit().maxRequests() - 10);
            assertThat(peeked.reported())
                    .hasSize(2)
                    .allMatch(reported -> reported.remaining()
                            == reported.limits().get(0).limit().maxRequests() - 10);
        }
    }

    @Test
    void aCostThatTheNumbersNeverAdmitIsAnError() {
        numbers = to(50);
        Acquisition sixty = Acquisition.of(HUNDRED, "alice", 60);

        assertThatThrownBy(() -> stack.acquire(sixty)).isInstanceOf(CostExceedsCapacityException.class);
        assertThatThrownBy(() -> stack.acquireAsync(sixty).toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(CostExceedsCapacityException.class);
    }

    @Test
    void aCallThatTakesWhatFitsTakesWhatTheNumbersAdmit() {
        numbers = to(7);
        assertThat(stack.acquireUpTo(Acquisition.of(HUNDRED, "alice", 2), 20).taken())
                .isEqualTo(3);
    }

    @Test
    void twoPlansWithTheNumbersOfOneProviderAreDecidedByThese() {
        try (RateLimiterStack provided = RateLimiterStack.inMemory()
                .timeout(Duration.ofMinutes(1))
                .provider((limit, subject) -> Optional.of(LimitProvider.Numbers.of(2)))
                .build()) {
            Acquisition both =
                    Acquisition.of(HUNDRED.withPlan("gold", 200), "alice").and(HUNDRED, "alice");

            Decision admitted = provided.acquire(both);
            assertThat(admitted.limits())
                    .hasSize(2)
                    .allMatch(status -> status.limit().maxRequests() == 2);
            assertThat(provided.acquire(both).allowed()).isFalse();

            provided.refund(both, admitted);
            assertThat(provided.acquire(both).allowed()).isTrue();
        }
    }

    @Test
    void twoLimitsOfOneNameThatGetTheSameNumbersAreReleased() {
        Limit ofUser = Limit.of("reports", Algorithm.CONCURRENCY, 5, Duration.ofMinutes(10));
        Limit ofTeam = Limit.of("reports", Algorithm.CONCURRENCY, 2, Duration.ofMinutes(10));
        Acquisition both = Acquisition.of(ofUser, "alice").and(ofTeam, "alice");
        numbers = to(4);

        Decision admitted = stack.acquire(both);
        assertThat(admitted.limits()).hasSize(2);
        stack.release(both, admitted);

        assertThat(stack.acquire(both).limits())
                .allMatch(status -> status.limit().maxRequests() == 4);
        assertThat(stack.peek(Acquisition.of(ofUser, "alice")).remaining()).isEqualTo(2);
    }

    @Test
    void twoWithALeaseAreGivenBack() {
        Limit ofUser = Limit.of("reports", Algorithm.FIXED_WINDOW, 50, Duration.ofMinutes(10))
                .withLease(5);
        Limit ofTeam = Limit.of("reports", Algorithm.FIXED_WINDOW, 20, Duration.ofMinutes(10))
                .withLease(5);
        Acquisition both = Acquisition.of(ofUser, "alice").and(ofTeam, "alice");
        numbers = limit -> to(40).apply(limit).withLease(5);

        Decision admitted = stack.acquire(both);
        assertThat(admitted.limits()).hasSize(2);
        stack.refund(both, admitted);

        assertThat(stack.peek(Acquisition.of(ofUser, "alice")).remaining()).isEqualTo(40);
    }

    @Test
    void onlyTheNumbersOfALimitChange() {
        numbers = limit -> Limit.of("b", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(1));
        assertThat(stack.acquire(Acquisition.of(HUNDRED, "alice")).remaining()).isEqualTo(99);
    }

    @Test
    void aCallThatWaitsCanBeGivenUp() {
        numbers = to(1);
        stack.acquire(Acquisition.of(HUNDRED, "alice"));
        Future<Decision> waiting = stack.acquireAsync(
                        Acquisition.of(Limit.of("a", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofDays(300)), "bob")
                                .and(Limit.of("soon", Algorithm.TOKEN_BUCKET, 1, Duration.ofHours(10)), "bob")
                                .withMaxWait(Duration.ofHours(23)))
                .toCompletableFuture();
        assertThat(waiting.isDone()).isTrue(); // the first of both fits
        Future<Decision> next = stack.acquireAsync(
                        Acquisition.of(Limit.of("soon", Algorithm.TOKEN_BUCKET, 100, Duration.ofHours(10)), "bob")
                                .withMaxWait(Duration.ofHours(23)))
                .toCompletableFuture();
        assertThat(stack.state().waiting()).isEqualTo(1);
        next.cancel(false);
        assertThat(stack.state().waiting()).isZero();
    }

    /** Two limits have 10 and 20, or 30 and 40, and never 10 and 40. */
    @Test
    void noCallIsDecidedByHalfOfAChange() throws Exception {
        UnaryOperator<Limit> before =
                limit -> to(limit.name().equals("a") ? 10 : 20).apply(limit);
        UnaryOperator<Limit> after =
                limit -> to(limit.name().equals("a") ? 30 : 40).apply(limit);
        Limit other = Limit.of("b", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofDays(300));
        AtomicBoolean changing = new AtomicBoolean(true);
        numbers = before;
        ScheduledExecutorService threads = Executors.newScheduledThreadPool(1);
        Future<?> changes = threads.submit(() -> {
            while (changing.get()) {
                numbers = after;
                numbers = before;
            }
        });
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            String both = stack.peek(Acquisition.of(HUNDRED, "alice").and(other, "alice")).limits().stream()
                    .map(LimitStatus::limit)
                    .map(Limit::maxRequests)
                    .toList()
                    .toString();
            if (!seen.contains(both)) {
                seen.add(both);
            }
        }
        changing.set(false);
        changes.get(1, TimeUnit.MINUTES);
        threads.shutdown();

        assertThat(seen).isSubsetOf("[10, 20]", "[30, 40]");
    }

    private static UnaryOperator<Limit> to(long maxRequests) {
        return limit -> {
            Limit changed = Limit.of(limit.name(), limit.algorithm(), maxRequests, limit.windowSize());
            return limit.reportOnly() ? changed.withReportOnly() : changed;
        };
    }
}
