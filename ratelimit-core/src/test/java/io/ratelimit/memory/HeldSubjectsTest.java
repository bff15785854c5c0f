package io.ratelimit.memory;

import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Made-up subjects push out nobody who is refused or banned. */
class HeldSubjectsTest {

    private static final Logger LOG = LoggerFactory.getLogger(HeldSubjectsTest.class);
    private static final int MOST_SUBJECTS = 1_000;
    private static final Duration HOUR = Duration.ofHours(1);

    private final AtomicLong clock = new AtomicLong(at("12:00:00"));
    private final InMemoryRateLimiter limiter = InMemoryRateLimiter.create(MOST_SUBJECTS, clock::get);

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void aRefusedSubjectStaysRefused(Algorithm algorithm) {
        Limit limit = Limit.of("two", algorithm, 2, HOUR);
        call(limit, "alice", 3);

        floodFourTimes(limit, 1);

        assertThat(allows(limit, "alice")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void aSubjectThatHasUsedUpItsQuotaGetsNoOther(Algorithm algorithm) {
        Limit limit = Limit.of("two", algorithm, 2, HOUR);
        for (int i = 0; i < 3; i++) {
            call(limit, "alice", 2);
            floodFourTimes(limit, 1);
        }

        assertThat(allows(limit, "alice")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void whoIsRefusedFirstIsHeldThoughAllOthersAreRefusedToo(Algorithm algorithm) {
        Limit limit = Limit.of("two", algorithm, 2, HOUR);
        call(limit, "alice", 3);

        for (int i = 0; i < 3; i++) {
            floodFourTimes(limit, 3);
            assertThat(allows(limit, "alice")).isFalse();
        }

        assertThat(limiter.subjects()).isBetween(MOST_SUBJECTS + 1L, 2L * MOST_SUBJECTS);
    }

    @Test
    void aRefusalOfACallThatCostsMoreThanIsLeftIsHeld() {
        Limit limit = Limit.of("ten", Algorithm.SLIDING_WINDOW_LOG, 10, HOUR);
        assertThat(limiter.acquire(Acquisition.of(limit, "alice", 7)).allowed()).isTrue();
        assertThat(limiter.acquire(Acquisition.of(limit, "alice", 7)).allowed()).isFalse();

        floodFourTimes(limit, 1);

        assertThat(limiter.peek(Acquisition.of(limit, "alice", 7)).allowed()).isFalse();
    }

    @Test
    void aDebtIsHeld() {
        Limit limit = Limit.of("ten", Algorithm.TOKEN_BUCKET, 10, HOUR);
        Acquisition call = Acquisition.of(limit, "alice", 1);
        limiter.settle(call, limiter.acquire(call), 50);

        floodFourTimes(limit, 1);

        assertThat(allows(limit, "alice")).isFalse();
    }

    @Test
    void aBannedSubjectStaysBannedHoweverTheBanBegan() {
        Limit byRefusals = Limit.of("two", Algorithm.FIXED_WINDOW, 2, Duration.ofMinutes(1))
                .withBan(2, HOUR, HOUR);
        assertStaysBanned(byRefusals, limit -> call(limit, "alice", 4));
        assertStaysBanned(
                Limit.of("other", Algorithm.FIXED_WINDOW, 2, Duration.ofMinutes(1))
                        .withBan(2, HOUR, HOUR),
                limit -> limiter.ban(limit, "alice"));
        assertStaysBanned(
                Limit.of("failures", Algorithm.FIXED_WINDOW, 9, Duration.ofMinutes(1))
                        .withBan(2, HOUR, HOUR)
                        .banningFailures(),
                limit -> {
                    for (int i = 0; i < 2; i++) {
                        Acquisition call = Acquisition.of(limit, "alice");
                        Decision decision = limiter.acquire(call);
                        limiter.settle(call, decision, 1);
                    }
                });
    }

    private void assertStaysBanned(Limit limit, Consumer<Limit> begin) {
        begin.accept(limit);
        clock.addAndGet(2 * MINUTE); // what was counted is over, the ban is not

        floodFourTimes(limit, 1);

        assertThat(allows(limit, "alice")).isFalse();
        clock.addAndGet(60 * MINUTE);
        assertThat(allows(limit, "alice")).isTrue();
    }

    @Test
    void aBlockedSubjectStaysBlocked() {
        Limit limit = Limit.of("two", Algorithm.FIXED_WINDOW, 2, Duration.ofMinutes(1));
        limiter.block(limit, "alice", HOUR);

        floodFourTimes(limit, 1);

        assertThat(allows(limit, "alice")).isFalse();
        clock.addAndGet(60 * MINUTE);
        assertThat(allows(limit, "alice")).isTrue();
    }

    @Test
    void whatIsOverMakesRoomForOthers() {
        Limit limit = Limit.of("one", Algorithm.SLIDING_WINDOW_LOG, 1, HOUR);
        floodFourTimes(limit, 2);
        clock.addAndGet(61 * MINUTE);

        call(limit, "alice", 2);
        flood(limit, "later", 1);

        assertThat(allows(limit, "alice")).isFalse();
        clock.addAndGet(61 * MINUTE);
        assertThat(allows(limit, "alice")).isTrue();
        assertThat(limiter.subjects()).isLessThanOrEqualTo(MOST_SUBJECTS);
    }

    @Test
    void aResetForgetsWhatIsHeld() {
        Limit limit = Limit.of("one", Algorithm.SLIDING_WINDOW_LOG, 1, HOUR);
        call(limit, "alice", 2);
        call(limit, "bea", 2);
        floodFourTimes(limit, 1);

        limiter.reset(limit, "alice");
        assertThat(allows(limit, "alice")).isTrue();
        assertThat(allows(limit, "bea")).isFalse();
        floodFourTimes(limit, 1);

        limiter.resetAll();
        assertThat(allows(limit, "bea")).isTrue();
        assertThat(limiter.subjects()).isEqualTo(1);
    }

    @Test
    @Tag("slow")
    void aMillionRefusedSubjectsTakeNoMoreOfTheHeapThanIsSaid() {
        Limit limit = Limit.of("one", Algorithm.SLIDING_WINDOW_LOG, 1, HOUR);
        InMemoryRateLimiter large = InMemoryRateLimiter.create();
        long before = usedBytes();
        large.acquire(Acquisition.of(limit, "alice"));

        for (int i = 0; i < 1_000_000; i++) {
            large.acquire(Acquisition.of(limit, "made up " + i));
            large.acquire(Acquisition.of(limit, "made up " + i));
        }

        long bytes = usedBytes() - before;
        LOG.info("{} subjects, refused all, in {} MB", large.subjects(), bytes >> 20);
        assertThat(bytes).isLessThan(96L << 20);
        assertThat(large.acquire(Acquisition.of(limit, "alice")).allowed()).isFalse();
    }

    private void floodFourTimes(Limit limit, int calls) {
        for (int i = 0; i < 4; i++) {
            flood(limit, "made up " + i, calls);
        }
    }

    /** So many calls of as many made-up subjects as the store keeps. */
    private void flood(Limit limit, String name, int calls) {
        for (int i = 0; i < MOST_SUBJECTS; i++) {
            call(limit, name + " " + i, calls);
        }
    }

    private void call(Limit limit, String subject, int calls) {
        for (int i = 0; i < calls; i++) {
            limiter.acquire(of(limit, subject, i));
        }
    }

    private boolean allows(Limit limit, String subject) {
        return limiter.peek(of(limit, subject, -1)).allowed();
    }

    private static Acquisition of(Limit limit, String subject, int call) {
        return limit.algorithm().countsElements()
                ? Acquisition.of(limit, subject, "element " + call)
                : Acquisition.of(limit, subject);
    }

    private static long usedBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
