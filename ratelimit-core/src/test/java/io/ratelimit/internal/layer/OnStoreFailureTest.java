package io.ratelimit.internal.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.Layered;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OnStoreFailureTest {

    private static final Limit LIMIT = Limit.of("five", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofHours(1));
    private static final Acquisition ONE = Acquisition.of(LIMIT, "alice");

    private final AtomicLong nanos = new AtomicLong();
    private final CountingRateLimiter store = new CountingRateLimiter(InMemoryRateLimiter.create());
    private final OutageLog outage = new OutageLog(nanos::get);
    private final Layered<OnStoreFailure> limiter = Layered.over(
            store, next -> new OnStoreFailure(next, InMemoryRateLimiter.create(), FailurePolicy.LOCAL, outage));
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.ratelimit");
    private volatile Thread caller = Thread.currentThread();

    /** What calls of the test log: threads of an earlier one may still do so. */
    private final ListAppender<ILoggingEvent> said = new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (Thread.currentThread().equals(caller)) {
                super.append(event);
            }
        }
    };

    @BeforeEach
    void listen() {
        said.start();
        logger.addAppender(said);
        logger.setAdditive(false);
    }

    @AfterEach
    void listenNoMore() {
        logger.setAdditive(true);
        logger.detachAppender(said);
    }

    @Test
    void localCountsTheSameLimitsAndChargesTheStoreNothing() {
        store.broken = true;
        for (int i = 0; i < 5; i++) {
            assertThat(limiter.acquire(ONE)).matches(Decision::allowed).matches(by(Decision.Source.LOCAL));
        }
        assertThat(limiter.acquire(ONE).allowed()).isFalse();

        store.broken = false;

        assertThat(limiter.acquire(ONE).remaining()).isEqualTo(4);
    }

    @Test
    void theAcquisitionsOwnPolicyGoesFirst() {
        store.broken = true;

        for (int i = 0; i < 10; i++) {
            assertThat(limiter.acquire(ONE.withOnStoreFailure(FailurePolicy.OPEN)))
                    .matches(Decision::allowed)
                    .matches(by(Decision.Source.NONE));
        }
        assertThatThrownBy(() -> limiter.acquire(ONE.withOnStoreFailure(FailurePolicy.CLOSED)))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void anOutageIsOneWarningAndItsEndOneInformation() {
        store.broken = true;
        call(1_000);
        store.broken = false;
        call(1_000);
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        call(1_000);

        assertThat(said.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN, Level.INFO);
    }

    /** The first peeks of a process warm it up, and may be late on a machine that is busy with its start. */
    @Test
    void aPeekThatFailsIsNoOutage() {
        store.broken = true;
        for (int i = 0; i < 10; i++) {
            assertThat(limiter.peek(ONE)).matches(by(Decision.Source.LOCAL));
        }
        assertThat(said.list).isEmpty();

        call(1);
        assertThat(said.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN);
    }

    @Test
    void aStoreOfWhichAPartFailsIsOneOutage() {
        for (int i = 0; i < 1_000; i++) {
            store.broken = i % 3 == 0;
            call(1);
            nanos.addAndGet(Duration.ofMillis(100).toNanos());
        }

        assertThat(said.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN);
    }

    /** As a Redis does that is slow for a moment every few seconds. */
    @Test
    void outagesThatFollowEachOtherAreFivePairsOfLinesAndThenOneAMinuteWithTheirNumber() {
        for (int i = 0; i < 36; i++) { // every 2.5 s for 90 s
            store.broken = true;
            call(1);
            nanos.addAndGet(Duration.ofMillis(1_200).toNanos());
            store.broken = false;
            limiter.acquire(Acquisition.of(LIMIT, "bob " + i));
            nanos.addAndGet(Duration.ofMillis(1_300).toNanos());
        }

        assertThat(said.list)
                .extracting(ILoggingEvent::getLevel)
                .containsExactlyElementsOf(Collections.nCopies(6, List.of(Level.WARN, Level.INFO)).stream()
                        .flatMap(List::stream)
                        .toList());
        assertThat(said.list.get(8).getFormattedMessage()).endsWith("broken by the test");
        assertThat(said.list.get(10).getFormattedMessage()).endsWith("(20 times since this was logged)");
    }

    @Test
    void anOutageThatGoesOnIsLoggedWhenItsTurnComes() {
        for (int i = 0; i < 5; i++) {
            store.broken = true;
            call(1);
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            store.broken = false;
            call(1);
        }
        said.list.clear();
        store.broken = true;
        for (int i = 0; i < 120; i++) {
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            call(1);
        }

        assertThat(said.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN);
    }

    /** A replica answers peeks, and calls over a limit. */
    @Test
    void anOutageLastsUntilTheStoreChargesACall() {
        Acquisition all = Acquisition.of(LIMIT, "alice", 5);
        store.broken = true;
        call(1);
        store.broken = false;
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());

        limiter.peek(ONE);
        assertThat(outage.reason()).isNotEmpty();
        limiter.acquire(all);
        assertThat(outage.reason()).isEmpty();

        store.broken = true;
        call(1);
        store.broken = false;
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThat(limiter.acquire(all).allowed()).isFalse();
        assertThat(outage.reason()).isNotEmpty();
    }

    @Test
    void aProbeTellsWhatCallsOfTheLastSecondGot() {
        assertThat(probe()).isEmpty();
        store.broken = true;
        assertThat(probe()).contains("broken by the test");
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        call(1);
        store.broken = false;

        assertThat(probe()).contains("broken by the test");

        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(probe()).isEmpty();
    }

    private Optional<String> probe() {
        return limiter.layer().probe(Runnable::run).join();
    }

    @Test
    void closingIsNoOutage() {
        outage.close();
        store.broken = true;
        call(10);

        assertThat(said.list).isEmpty();
    }

    @Test
    void noLogNamesTheSubject() {
        store.broken = true;
        call(10);

        assertThat(said.list).noneMatch(event -> event.getFormattedMessage().contains("alice"));
    }

    private void call(int times) {
        caller = Thread.currentThread(); // a timeout may give each method of a test another thread
        for (int i = 0; i < times; i++) {
            limiter.acquire(Acquisition.of(LIMIT, "alice " + i));
        }
    }

    private static Predicate<Decision> by(Decision.Source source) {
        return decision -> decision.source() == source;
    }
}
