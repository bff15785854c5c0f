package io.ratelimit.spring.internal.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import io.ratelimit.spring.RateLimitOverrideEvent;
import io.ratelimit.spring.testing.LogCapture;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationEventPublisher;

class OverridesTest {

    private static final int CHANGES = 1_000;
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger reads = new AtomicInteger();

    /** Answers once, and then nothing. */
    private final class Silent implements OverrideStore {

        @Override
        public boolean isShared() {
            return true;
        }

        @Override
        public CompletionStage<Kept> read() {
            return reads.getAndIncrement() == 0
                    ? CompletableFuture.completedFuture(
                            new Kept(NOON, List.of(new LimitOverride("api", 3, null, NOON.plusSeconds(60)))))
                    : new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Kept> begin(String limit, long maxRequests, @Nullable Long burst, Duration lasting) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Kept> lift(String limit) {
            return new CompletableFuture<>();
        }
    }

    @Test
    void endWhileTheStoreIsSilentAndItIsAskedOnce() {
        try (Overrides overrides = new Overrides(event -> {}, nanos::get)) {
            overrides.keepIn(new Silent());
            overrides.follow().toCompletableFuture().join();
            await().until(() -> reads.get() == 2);
            assertThat(overrides.of("api")).isPresent();

            nanos.set(TimeUnit.MINUTES.toNanos(1));

            await().until(() -> overrides.of("api").isEmpty());
            assertThat(reads).hasValue(2);
        }
    }

    @Test
    void changesOfOneMomentAreAdoptedInTheirOrder() {
        AtomicInteger began = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        ApplicationEventPublisher events =
                event -> (((RateLimitOverrideEvent) event).until().isPresent() ? began : ended).incrementAndGet();
        try (Overrides overrides = new Overrides(events)) {
            List<CompletableFuture<Void>> callers = IntStream.range(0, 6)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> beginAndLift(overrides, "limit" + i), task -> new Thread(task).start()))
                    .toList();
            callers.forEach(CompletableFuture::join);
        }
        assertThat(began).hasValue(6 * CHANGES);
        assertThat(ended).hasValue(6 * CHANGES);
    }

    private static void beginAndLift(Overrides overrides, String limit) {
        for (int i = 0; i < CHANGES; i++) {
            overrides.begin(limit, 3, null, Duration.ofMinutes(1));
            overrides.lift(limit);
        }
    }

    /** Also by another thread that it waits for, as that of a request to the endpoint. */
    @Test
    void aListenerThatChangesAnOverrideFailsAndStopsNothing() {
        AtomicReference<Overrides> changed = new AtomicReference<>();
        CompletableFuture<List<Throwable>> failures = new CompletableFuture<>();
        Runnable change = () -> changed.get().lift("api");
        try (Overrides overrides = new Overrides(event -> {
            if (!failures.isDone()) {
                CompletableFuture<Void> ofAnother =
                        CompletableFuture.runAsync(change, task -> new Thread(task).start());
                failures.complete(List.of(catchThrowable(change::run), catchThrowable(ofAnother::join)));
            }
        })) {
            changed.set(overrides);
            Thread first = begin(overrides, "api");

            assertThat(failures.orTimeout(30, TimeUnit.SECONDS).join())
                    .allSatisfy(failure -> assertThat(Stages.unwrap(failure))
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("listener"));
            await().until(() -> !first.isAlive());
            overrides.begin("other", 3, null, Duration.ofMinutes(1));
            assertThat(overrides.of("api")).isPresent();
            assertThat(overrides.of("other")).isPresent();
        }
    }

    @Test
    void aChangeThatWaitsForItsTurnEndsAlsoIfTheContextClosesMeanwhile() {
        CompletableFuture<Void> published = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        Overrides overrides = new Overrides(event -> {
            published.complete(null);
            goOn.join();
        });
        Thread first = begin(overrides, "first");
        published.join();
        Thread second = begin(overrides, "second");
        await().until(() -> second.getState() == Thread.State.WAITING);

        overrides.close();
        goOn.complete(null);

        // by a failure, too
        await().dontCatchUncaughtExceptions().until(() -> !first.isAlive() && !second.isAlive());
    }

    @Test
    void aChangeAfterTheContextIsClosedFailsAsOneThatCannotBeStored() {
        Overrides overrides = new Overrides(event -> {});
        overrides.close();

        assertThatThrownBy(() -> overrides.begin("api", 3, null, Duration.ofMinutes(1)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> overrides.lift("api")).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> overrides.readOf("api")).isInstanceOf(StoreUnavailableException.class);
    }

    private static Thread begin(Overrides overrides, String limit) {
        Thread caller = new Thread(() -> overrides.begin(limit, 3, null, Duration.ofMinutes(1)));
        caller.setDaemon(true);
        caller.start();
        return caller;
    }

    @Test
    void thatALimitCannotHaveIsToldOnceAndLeavesItsOwnNumbers() {
        Limit limit = Limit.of("api", Algorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1));
        try (Overrides overrides = new Overrides(event -> {});
                LogCapture log = LogCapture.of("io.ratelimit.RL-160")) {
            overrides.begin("api", 3, null, Duration.ofMinutes(1));

            assertThat(overrides.of(limit).maxRequests()).isEqualTo(3);
            assertThat(log.messages(Level.WARN)).isEmpty();
            for (int i = 0; i < 3; i++) {
                assertThat(overrides.of(limit.withLease(5))).isEqualTo(limit.withLease(5));
            }
            assertThat(log.messages(Level.WARN)).singleElement().asString().contains("lease '5'");

            overrides.begin("api", 4, null, Duration.ofMinutes(1));
            overrides.of(limit.withLease(5));
            assertThat(log.messages(Level.WARN)).hasSize(2);
        }
    }
}
