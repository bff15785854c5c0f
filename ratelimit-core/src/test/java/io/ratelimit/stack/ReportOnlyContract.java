package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What limits that only report do beside limits that refuse, on any store. */
abstract class ReportOnlyContract {

    private static final Duration LONG = Duration.ofDays(300);

    private final String name = UUID.randomUUID().toString();
    private final Limit hundred = Limit.of(name + "-100", Algorithm.FIXED_WINDOW, 100, LONG);
    private final Limit fifty =
            Limit.of(name + "-50", Algorithm.FIXED_WINDOW, 50, LONG).withReportOnly();
    private final Limit twenty =
            Limit.of(name + "-20", Algorithm.SLIDING_WINDOW_LOG, 20, LONG).withReportOnly();
    private final Acquisition all =
            Acquisition.of(fifty, "bob").and(hundred, "alice").and(twenty, "erin");
    private final List<Decision> heard = new CopyOnWriteArrayList<>();
    private final List<Long> settled = new CopyOnWriteArrayList<>();
    private RateLimiterStack stack;

    abstract RateLimiterStackBuilder builder();

    @BeforeEach
    void build() {
        stack = builder()
                .listener(new DecisionListener() {
                    @Override
                    public void onDecision(Acquisition acquisition, Decision decision) {
                        heard.add(decision);
                    }

                    @Override
                    public void onSettled(Acquisition acquisition, Decision decision, long[] actual) {
                        settled.add(actual[0]);
                    }
                })
                .build();
    }

    @Test
    void whatCanNeverFitIsReportedHoweverMuchItIs() {
        Acquisition much = Acquisition.of(fifty, "bob", 5_000_000_000L);
        assertThat(stack.acquireUpTo(much, Integer.MAX_VALUE).exceeded()).hasSize(1);
        assertThat(stack.acquire(Acquisition.of(fifty, "bob", Long.MAX_VALUE).and(fifty, "bob", Long.MAX_VALUE))
                        .exceeded())
                .hasSize(1);
    }

    @Test
    void aCallThatIsTakenMoreOftenThanNumbersReachIsReleased() {
        Limit slots = Limit.of(name + "-slots", Algorithm.CONCURRENCY, 5, LONG);
        Acquisition much = Acquisition.of(slots, "alice")
                .and(fifty, "bob", Long.MAX_VALUE / 2)
                .upTo(3);

        Decision three = stack.acquire(much);
        assertThat(three.taken()).isEqualTo(3);
        stack.release(much, three);

        assertThat(stack.peek(Acquisition.of(slots, "alice")).limits().get(0).remaining())
                .isEqualTo(5);
    }

    @AfterEach
    void close() {
        for (Charge charge : all.charges()) {
            stack.reset(charge.limit(), charge.subject());
        }
        stack.close();
        disconnect();
    }

    void disconnect() {}

    @Test
    void admitsAHundredOfWhichTwoOthersWouldHaveRefusedSome() {
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < 110; i++) {
            decisions.add(stack.acquire(all));
        }

        assertThat(decisions.stream().filter(Decision::allowed)).hasSize(100);
        assertThat(decisions.get(19).exceeded()).isEmpty();
        assertThat(names(decisions.get(20))).containsExactly(twenty.name());
        assertThat(names(decisions.get(50))).containsExactly(fifty.name(), twenty.name());
        assertThat(decisions.get(99).limits()).extracting(LimitStatus::limit).containsExactly(hundred);
        assertThat(decisions.get(99).remaining()).isZero();
        assertThat(decisions.get(99).retryAfter()).isZero();
        assertThat(decisions.get(100).exceeded()).isEmpty();
        assertThat(heard).containsExactlyElementsOf(decisions);
    }

    @Test
    void aCallThatIsRefusedIsNotCharged() {
        stack.acquire(Acquisition.of(hundred, "alice", 100));

        assertThat(stack.acquire(all).allowed()).isFalse();
        assertThat(remaining(fifty, "bob")).isEqualTo(50);
        assertThat(remaining(twenty, "erin")).isEqualTo(20);
    }

    @Test
    void aLimitOfTheSameNameThatRefusesCountsByItself() {
        Limit same = Limit.of(fifty.name(), Algorithm.FIXED_WINDOW, 50, LONG);
        Acquisition both = Acquisition.of(same, "bob").and(fifty, "bob", 2);

        stack.acquire(both);

        assertThat(stack.peek(Acquisition.of(same, "bob")).remaining()).isEqualTo(49);
        assertThat(remaining(fifty, "bob")).isEqualTo(48);
        stack.reset(same, "bob");
    }

    @Test
    void aCallOfNothingElseIsAdmittedAndAnsweredByTheStore() {
        Acquisition only = Acquisition.of(twenty, "erin", 15);
        stack.acquire(only);
        Decision exceeding = stack.acquireAsync(only).toCompletableFuture().join();

        assertThat(exceeding.allowed()).isTrue();
        assertThat(exceeding.limits()).isEmpty();
        assertThat(exceeding.source()).isEqualTo(Decision.Source.STORE);
        assertThat(names(exceeding)).containsExactly(twenty.name());
        assertThat(exceeding.exceeded().get(0).remaining()).isEqualTo(5);
    }

    @Test
    void aCostThatNeverFitsIsReportedAndChargesNothing() {
        Decision decision = stack.acquire(Acquisition.of(twenty, "erin", 21));

        assertThat(decision.allowed()).isTrue();
        assertThat(names(decision)).containsExactly(twenty.name());
        assertThat(remaining(twenty, "erin")).isEqualTo(20);
    }

    @Test
    void isSettledBesideTheOthersWhereItWasCharged() {
        Acquisition call =
                Acquisition.of(twenty, "erin", 15).and(hundred, "alice", 15).and(fifty, "bob", 15);
        Decision first = stack.acquire(call);
        Decision second = stack.acquire(call);
        stack.settle(call, first, 4, 5, 6);
        stack.refund(call, second);
        stack.refund(call, second);

        assertThat(remaining(twenty, "erin")).isEqualTo(16);
        assertThat(stack.peek(Acquisition.of(hundred, "alice")).remaining()).isEqualTo(95);
        assertThat(remaining(fifty, "bob")).isEqualTo(44);
        assertThat(settled).containsExactly(4L, 0L);
    }

    @Test
    void isSettledAlone() {
        Acquisition only = Acquisition.of(twenty, "erin", 15);
        stack.refund(only, stack.acquire(only));

        assertThat(remaining(twenty, "erin")).isEqualTo(20);
    }

    @Test
    void isChargedWhatTheOthersTake() {
        stack.acquire(Acquisition.of(hundred, "alice", 94));
        Acquisition unit = Acquisition.of(twenty, "erin", 2).and(hundred, "alice", 2);
        Decision taken = stack.acquireUpTo(unit, 20);

        assertThat(taken.taken()).isEqualTo(3);
        assertThat(remaining(twenty, "erin")).isEqualTo(14);
        stack.settle(unit, taken, 1);
        assertThat(remaining(twenty, "erin")).isEqualTo(19);
    }

    @Test
    void aPeekSaysWhatWouldBeExceededAlsoOfACallThatIsRefused() {
        stack.acquire(Acquisition.of(twenty, "erin", 20));
        stack.acquire(Acquisition.of(hundred, "alice", 100));
        Decision peeked = stack.peek(all);

        assertThat(peeked.allowed()).isFalse();
        assertThat(names(peeked)).containsExactly(twenty.name());
        assertThat(peeked.reported()).hasSize(2);
    }

    @Test
    void aCallThatWaitsForOthersIsChargedOnceItIsAdmitted() {
        Limit slot = Limit.of(name + "-slot", Algorithm.CONCURRENCY, 1, Duration.ofDays(1));
        Acquisition call = Acquisition.of(slot, "alice").and(twenty, "erin");
        Decision first = stack.acquire(call);
        CompletableFuture<Decision> waiting =
                stack.acquireAsync(call, Duration.ofHours(1)).toCompletableFuture();
        assertThat(stack.peek(call).allowed()).isFalse();
        assertThat(remaining(twenty, "erin")).isEqualTo(19);

        stack.release(call, first);

        stack.release(call, waiting.join());
        assertThat(remaining(twenty, "erin")).isEqualTo(18);
        stack.reset(slot, "alice");
    }

    @Test
    void aCallThatWaitsIsCancelled() {
        Limit slot = Limit.of(name + "-slot", Algorithm.CONCURRENCY, 1, Duration.ofDays(1));
        Acquisition call = Acquisition.of(slot, "alice").and(twenty, "erin");
        stack.acquire(call);
        CompletableFuture<Decision> waiting =
                stack.acquireAsync(call, Duration.ofHours(1)).toCompletableFuture();
        assertThat(stack.peek(call).allowed()).isFalse();

        waiting.cancel(true);

        assertThat(stack.state().waiting()).isZero();
        assertThat(remaining(twenty, "erin")).isEqualTo(19);
        stack.reset(slot, "alice");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void ofAnyAlgorithmItAdmitsAndReports(Algorithm algorithm) {
        Limit limit = Limit.of(name + "-any", algorithm, 3, LONG).withReportOnly();
        Acquisition call = Acquisition.of(limit, "alice").and(hundred, "alice");
        for (int i = 0; i < 3; i++) {
            assertThat(stack.acquire(call).exceeded()).isEmpty();
        }

        assertThat(names(stack.acquire(call))).containsExactly(limit.name());
        stack.reset(limit, "alice");
    }

    @Test
    void anElementIsReportedToo() {
        Limit devices =
                Limit.of(name + "-devices", Algorithm.UNIQUE_COUNT, 1, LONG).withReportOnly();
        stack.acquire(Acquisition.of(devices, "alice", "phone"));

        assertThat(stack.acquire(Acquisition.of(devices, "alice", "phone")).exceeded())
                .isEmpty();
        assertThat(stack.acquire(Acquisition.of(devices, "alice", "tablet")).exceeded())
                .hasSize(1);
        stack.reset(devices, "alice");
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_WINDOW", "TOKEN_BUCKET"})
    void leasesAndShardsReportAlike(Algorithm algorithm) {
        Limit limit = Limit.of(name + "-split", algorithm, 8, LONG).withReportOnly();
        for (Limit split : List.of(limit.withShards(2), limit.withLease(4))) {
            Acquisition call = Acquisition.of(split, "alice").and(hundred, "alice");
            for (int i = 0; i < 8; i++) {
                assertThat(stack.acquire(call).exceeded()).isEmpty();
            }
            assertThat(names(stack.acquire(call))).containsExactly(limit.name());
            stack.reset(split, "alice");
        }
    }

    private long remaining(Limit limit, String subject) {
        return stack.peek(Acquisition.of(limit, subject)).reported().get(0).remaining();
    }

    private static List<String> names(Decision decision) {
        return decision.exceeded().stream().map(status -> status.limit().name()).toList();
    }
}
