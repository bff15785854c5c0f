package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.ConnectedCluster;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RecordedLoad;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Subjects live on different masters, and several of them in one acquisition are all or nothing nevertheless. */
@ExtendWith(NoThreadsLeft.class)
class ClusterRateLimiterTest {

    private static ConnectedCluster cluster;

    private final RedisRateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(cluster.connection()))
            .keyPrefix("test-" + UUID.randomUUID())
            .timeout(Duration.ofMinutes(1))
            .build();

    @BeforeAll
    static void start() {
        cluster = new ConnectedCluster();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void close() {
        limiter.close();
    }

    @Test
    void theSubjectsOfTheseTestsAreOnDifferentMasters() {
        assertThat(ConnectedCluster.SUBJECTS.stream()
                        .map(subject -> cluster.servers().masterOf(SlotHash.getSlot(subject))))
                .doesNotHaveDuplicates()
                .hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void refusesTheRequestAfterTheLastOnEveryMaster(Algorithm algorithm) {
        Limit limit = longWindow("five", algorithm, 5);
        for (String subject : ConnectedCluster.SUBJECTS) {
            assertThat(IntStream.range(0, 6)
                            .filter(i -> limiter.acquire(Acquisition.of(limit, subject))
                                    .allowed()))
                    .hasSize(5);
            limiter.reset(limit, subject);
            assertThat(remaining(limit, subject)).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aRefusalOnOneMasterGivesBackWhatOthersTook(Algorithm algorithm) {
        Limit limit = longWindow("five", algorithm, 5);
        for (String full : ConnectedCluster.SUBJECTS) {
            limiter.acquire(Acquisition.of(limit, full, 5));

            Decision refused = limiter.acquire(onAllMasters(limit));

            assertThat(refused.allowed()).isFalse();
            assertThat(refused.limits()).hasSize(3);
            assertThat(refused.refusing()).hasSize(1);
            ConnectedCluster.SUBJECTS.stream()
                    .filter(subject -> !subject.equals(full))
                    .forEach(subject -> assertThat(limiter.acquire(Acquisition.of(limit, subject, 4))
                                    .allowed())
                            .isTrue());
            ConnectedCluster.SUBJECTS.forEach(subject -> limiter.reset(limit, subject));
        }
    }

    /** Of what is given back again and again, a bucket keeps as much as refills meanwhile, and a cap all. */
    @Test
    void whatIsRefusedAgainAndAgainTakesFromOthersOnce() {
        Limit capped = longWindow("capped", Algorithm.FIXED_WINDOW, 100);
        Limit full = longWindow("full", Algorithm.CONCURRENCY, 1);
        for (int first = 0; first < 2; first++) {
            String ofCapped = ConnectedCluster.SUBJECTS.get(first);
            String ofFull = ConnectedCluster.SUBJECTS.get(1 - first);
            limiter.cap(capped, ofCapped, 5, Duration.ofDays(1));
            limiter.acquire(Acquisition.of(full, ofFull));
            String another = ConnectedCluster.SUBJECTS.get(2);
            limiter.acquire(Acquisition.of(capped, another, 100));

            for (int i = 0; i < 10; i++) {
                assertThat(limiter.acquire(Acquisition.of(capped, another).and(full, ofCapped))
                                .allowed())
                        .isFalse();
                assertThat(limiter.acquire(Acquisition.of(capped, ofCapped).and(full, ofFull))
                                .allowed())
                        .isFalse();
            }

            assertThat(remaining(capped, ofCapped)).isGreaterThanOrEqualTo(4);
            limiter.reset(capped, ofCapped);
            limiter.reset(full, ofFull);
            limiter.reset(capped, another);
        }
    }

    /** With several charges, all of them go to Redis as if there were no lease. */
    @Test
    void limitsWithALeaseAreDecidedOnAllMastersToo() {
        Limit leased = longWindow("leased", Algorithm.TOKEN_BUCKET, 5).withLease(3);

        assertThat(IntStream.range(0, 6)
                        .filter(i -> limiter.acquire(onAllMasters(leased)).allowed()))
                .hasSize(5);
    }

    /** The masters decide one after the other, and the last one is asked first in the second round. */
    @Test
    void aCallInFlightOnSeveralMastersIsReleasedOnAll() {
        Limit one = longWindow("one", Algorithm.CONCURRENCY, 1);
        Limit daily = longWindow("daily", Algorithm.SLIDING_WINDOW_LOG, 100);
        String first = ConnectedCluster.SUBJECTS.get(0);
        String last = ConnectedCluster.SUBJECTS.get(2);
        for (Acquisition call : List.of(
                onAllMasters(one),
                Acquisition.of(daily, first).and(one, last),
                Acquisition.of(one, last).and(daily, first))) {
            for (int i = 0; i < 5; i++) {
                Decision admitted = limiter.acquire(call);
                assertThat(admitted.allowed()).isTrue();
                assertThat(limiter.acquire(call).allowed()).isFalse();

                limiter.release(call, admitted);
            }
        }
        assertThat(remaining(daily, first)).isEqualTo(90);
    }

    /** As where a response frees the slot before its last byte, and settles what it cost when that is known. */
    @Test
    void aCallInFlightThatIsReleasedApartFreesItsOwnSlot() {
        Limit one = longWindow("one", Algorithm.CONCURRENCY, 1);
        Limit daily = longWindow("daily", Algorithm.SLIDING_WINDOW_LOG, 100);
        Acquisition slot = Acquisition.of(one, ConnectedCluster.SUBJECTS.get(2));
        Acquisition both = Acquisition.of(daily, ConnectedCluster.SUBJECTS.get(0), 5)
                .and(one, slot.charges().get(0).subject());
        for (int i = 0; i < 5; i++) {
            Decision decision = limiter.acquire(both);
            assertThat(decision.allowed()).isTrue();
            LimitStatus ofSlot = decision.limits().get(1);

            limiter.release(slot, new Decision(true, List.of(ofSlot), decision.source(), decision.decidedAt(), 1));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void anAllowedCallIsChargedOnAllMastersAndRefundedOnAll(Algorithm algorithm) {
        Limit limit = longWindow("five", algorithm, 5);
        Acquisition all = onAllMasters(limit);

        Decision allowed = limiter.acquire(all);
        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.limits()).extracting(LimitStatus::remaining).containsExactly(4L, 4L, 4L);
        ConnectedCluster.SUBJECTS.forEach(
                subject -> assertThat(remaining(limit, subject)).isEqualTo(4));

        limiter.refund(all, allowed);
        ConnectedCluster.SUBJECTS.forEach(
                subject -> assertThat(remaining(limit, subject)).isEqualTo(5));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void takesFromEveryMasterWhatTheFullestHasLeftAndGivesBackTheRest(Algorithm algorithm) {
        Limit limit = longWindow("units", algorithm, 9);
        for (int full = 0; full < 3; full++) {
            String subject = ConnectedCluster.SUBJECTS.get(full);
            limiter.acquire(Acquisition.of(limit, subject, 6));

            Decision three = limiter.acquireUpTo(onAllMasters(limit), 8);

            assertThat(three.taken()).isEqualTo(3);
            assertThat(three.limits()).extracting(LimitStatus::remaining).containsExactlyInAnyOrder(0L, 6L, 6L);
            assertThat(remaining(limit, subject)).isZero();
            assertThat(limiter.acquireUpTo(onAllMasters(limit), 8).allowed()).isFalse();
            ConnectedCluster.SUBJECTS.stream()
                    .filter(other -> !other.equals(subject))
                    .forEach(other -> assertThat(remaining(limit, other)).isEqualTo(6));

            limiter.refund(onAllMasters(limit), three);
            assertThat(remaining(limit, subject)).isEqualTo(3);
            ConnectedCluster.SUBJECTS.forEach(each -> limiter.reset(limit, each));
        }
    }

    @Test
    void severalLimitsOfASubjectAreOneCall() {
        Limit burst = longWindow("burst", Algorithm.TOKEN_BUCKET, 3);
        Limit daily = longWindow("daily", Algorithm.SLIDING_WINDOW_COUNTER, 5);
        Acquisition both = Acquisition.of(burst, "alice").and(daily, "alice");

        assertThat(IntStream.range(0, 5).filter(i -> limiter.acquire(both).allowed()))
                .hasSize(3);
        assertThat(remaining(daily, "alice")).isEqualTo(2);
    }

    @Test
    void manyThreadsOnOverlappingSubjectsTakeExactlyWhatTheyWereAllowed() {
        Limit limit = longWindow("hot", Algorithm.FIXED_WINDOW, 200);

        List<Long> allowed = Threads.run(
                16,
                thread -> () -> IntStream.range(0, 40)
                        .filter(i -> limiter.acquire(twoNeighbours(limit, thread + i))
                                .allowed())
                        .count());

        long taken = ConnectedCluster.SUBJECTS.stream()
                .mapToLong(subject -> 200 - remaining(limit, subject))
                .sum();
        assertThat(taken)
                .isEqualTo(2 * allowed.stream().mapToLong(Long::longValue).sum());
        ConnectedCluster.SUBJECTS.forEach(
                subject -> assertThat(remaining(limit, subject)).isBetween(0L, 200L));
    }

    @Test
    void whatManyThreadsAreAdmittedByTheRealClocksOfTheMastersKeepsEveryLimit() {
        assertKeepsEveryLimit(Duration.ofMillis(500));
    }

    @Test
    @Tag("slow")
    void whatTheyAreAdmittedForLongerDoesToo() {
        assertKeepsEveryLimit(Duration.ofSeconds(5));
    }

    private void assertKeepsEveryLimit(Duration length) {
        RecordedLoad load = RecordedLoad.runOnCluster("histories on a cluster", length, List.of(limiter));

        load.assertKeptEveryLimit("Cluster");
    }

    private long remaining(Limit limit, String subject) {
        return limiter.peek(Acquisition.of(limit, subject)).remaining();
    }

    private static Acquisition onAllMasters(Limit limit) {
        return Acquisition.of(limit, ConnectedCluster.SUBJECTS.get(0))
                .and(limit, ConnectedCluster.SUBJECTS.get(1))
                .and(limit, ConnectedCluster.SUBJECTS.get(2));
    }

    private static Acquisition twoNeighbours(Limit limit, int first) {
        return Acquisition.of(limit, ConnectedCluster.SUBJECTS.get(first % 3))
                .and(limit, ConnectedCluster.SUBJECTS.get((first + 1) % 3));
    }

    /** By the masters' real clocks: no window ends while a test runs. */
    private static Limit longWindow(String name, Algorithm algorithm, long maxRequests) {
        return Limit.of(name, algorithm, maxRequests, Duration.ofDays(300));
    }
}
