package io.ratelimit.spring.internal.live;

import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.DaemonThreads;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.Stages;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RateLimitOverrideEvent;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.live.OverrideStore.Kept;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The overrides that this instance follows. A call reads them as one immutable map, which one thread replaces when they
 * change: after a change that this instance makes, each second if other instances share them, and when one ends. While the
 * store does not answer, those that are known hold until they end. Thread-safe.
 */
public final class Overrides implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Overrides.class);
    private static final Warning UNFIT = new Warning(MessageCode.OVERRIDE_UNFIT);
    private static final long INTERVAL_MILLIS = 1_000;
    private static final long LONGEST_TURN_SECONDS = 5;

    private final Listeners<ApplicationEventPublisher> events;
    private final LongSupplier nanoTime;
    private final ScheduledThreadPoolExecutor thread;
    private volatile OverrideStore store;
    private final Set<LimitOverride> unfit = ConcurrentHashMap.newKeySet();
    private volatile InForce inForce = new InForce(Map.of(), new Kept(Instant.EPOCH, List.of()), 0, unfit);
    private volatile boolean applied;
    private volatile CompletableFuture<?> reading = CompletableFuture.completedFuture(null);

    /** Creates overrides in memory; a thread starts with the first of them. */
    public Overrides(ApplicationEventPublisher events) {
        this(events, System::nanoTime);
    }

    Overrides(ApplicationEventPublisher events, LongSupplier nanoTime) {
        this.events = new Listeners<>(List.of(events));
        this.nanoTime = nanoTime;
        this.store = new OverridesInMemory(steady(nanoTime));
        this.thread =
                new ScheduledThreadPoolExecutor(1, DaemonThreads.named("ratelimit-overrides"), (action, closed) -> {
                    throw new StoreUnavailableException(
                            "overrides are not changed any more: the application is closed");
                });
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** A clock that goes on as time does, also when somebody sets that of the system. */
    private static InstantSource steady(LongSupplier nanoTime) {
        Instant start = Instant.now();
        long startNanos = nanoTime.getAsLong();
        return () -> start.plusNanos(nanoTime.getAsLong() - startNanos);
    }

    /**
     * The overrides at one reading, which calls get their numbers from.
     *
     * @param unfit those that a limit here cannot have, each of which is told once
     */
    private record InForce(Map<String, LimitOverride> byLimit, Kept kept, long readNanos, Set<LimitOverride> unfit)
            implements UnaryOperator<Limit> {

        @Override
        public Limit apply(Limit limit) {
            LimitOverride override = byLimit.get(limit.name());
            if (override == null) {
                return limit;
            }
            try {
                return override.checked(limit);
            } catch (IllegalArgumentException notHere) { // as in another version of the application
                if (unfit.add(override)) {
                    UNFIT.log(
                            "Limit '{}' is overridden until {} by max-requests {}, which it cannot have in this instance, where its"
                                    + " own numbers hold: {}",
                            limit.name(),
                            override.until(),
                            override.maxRequests(),
                            notHere.getMessage());
                }
                return limit;
            }
        }
    }

    /** Returns what gives a stack the numbers in force. */
    public Supplier<UnaryOperator<Limit>> forStack() {
        applied = true;
        return () -> inForce;
    }

    /** Returns whether calls get the numbers: false if the application decides them by a limiter of its own. */
    public boolean areApplied() {
        return applied;
    }

    /** Returns whether other instances follow the same overrides. */
    public boolean areShared() {
        return store.isShared();
    }

    /** Keeps overrides where other instances see them, too. */
    public void keepIn(OverrideStore shared) {
        store = shared;
    }

    /** Follows what other instances change. Completes when it is read the first time, or cannot be. */
    public CompletionStage<?> follow() {
        CompletionStage<?> first = read();
        reading = first.toCompletableFuture();
        thread.scheduleWithFixedDelay(this::readAgain, INTERVAL_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        return first;
    }

    /** Returns the override of a limit. */
    public Optional<LimitOverride> of(String limit) {
        return Optional.ofNullable(inForce.byLimit().get(limit));
    }

    /**
     * Returns the override of a limit, also one that another instance has just begun.
     *
     * @throws io.ratelimit.StoreUnavailableException if the store does not answer
     */
    public Optional<LimitOverride> readOf(String limit) {
        Stages.await(() -> adopted(store::read));
        return of(limit);
    }

    /** Returns the limit with the numbers in force. */
    public Limit of(Limit limit) {
        return inForce.apply(limit);
    }

    /** Returns where the numbers of a limit in force come from: {@code configuration}, {@code plan}, {@code provider} or
     * {@code override}. */
    public String from(Limit limit) {
        if (of(limit.name()).filter(override -> override.fits(limit)).isPresent()
                && of(limit).equals(limit)) {
            return "override";
        }
        return limit.plan()
                .map(plan -> plan.equals(LimitProvider.PLAN) ? "provider" : "plan")
                .orElse("configuration");
    }

    /**
     * Begins an override, or replaces the one that the limit has. It holds for this instance on return.
     *
     * @throws io.ratelimit.StoreUnavailableException if it could not be stored, or is not known to be
     */
    public void begin(String limit, long maxRequests, @Nullable Long burst, Duration lasting) {
        Stages.await(() -> adopted(() -> store.begin(limit, maxRequests, burst, lasting)));
        if (!store.isShared()) {
            thread.schedule(this::read, lasting.toMillis() + 1, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Lifts the override of a limit.
     *
     * @throws io.ratelimit.StoreUnavailableException if it could not be lifted, or is not known to be
     */
    public void lift(String limit) {
        Stages.await(() -> adopted(() -> store.lift(limit)));
    }

    /** Lifts the overrides of all limits. */
    public void liftAll() {
        inForce.byLimit().keySet().forEach(this::lift);
    }

    /** Lets what callers wait for end by itself. The next reading, and all else that was to come later, does not begin. */
    @Override
    public void close() {
        thread.shutdown();
    }

    /** Runs on the thread alone. Overrides end while the store is silent, too. */
    private void readAgain() {
        if (reading.isDone()) {
            reading = read().toCompletableFuture();
        } else {
            adopt(inForce.kept(), inForce.readNanos());
        }
    }

    private CompletionStage<?> read() {
        return adopted(store::read)
                .exceptionallyAsync(
                        failed -> {
                            LOG.debug("overrides could not be read", failed);
                            adopt(inForce.kept(), inForce.readNanos());
                            return null;
                        },
                        thread);
    }

    /**
     * Asks the store on the thread, and says there what is done with the answer, so that what is read first is also adopted first.
     * Fails, and asks nothing, if the turn does not come: a listener on the thread may wait for just this.
     */
    private CompletionStage<Void> adopted(Supplier<CompletionStage<Kept>> asked) {
        return CompletableFuture.supplyAsync(
                        () -> asked.get().thenAcceptAsync(kept -> adopt(kept, nanoTime.getAsLong()), thread), thread)
                .completeOnTimeout(null, LONGEST_TURN_SECONDS, TimeUnit.SECONDS)
                .thenCompose(adopted -> adopted == null ? noTurn() : adopted);
    }

    private static CompletionStage<Void> noTurn() {
        return CompletableFuture.failedFuture(new StoreUnavailableException(
                "a listener of RateLimitOverrideEvent has kept the thread of overrides for %d s: let it be asynchronous"
                        .formatted(LONGEST_TURN_SECONDS)));
    }

    /** Runs on the thread alone. */
    private void adopt(Kept kept, long readNanos) {
        Duration since = Duration.ofNanos(nanoTime.getAsLong() - readNanos);
        Map<String, LimitOverride> now = new HashMap<>();
        kept.overrides().stream()
                .filter(override -> override.until().isAfter(kept.at().plus(since)))
                .forEach(override -> now.put(override.limit(), override));
        Map<String, LimitOverride> before = inForce.byLimit();
        unfit.retainAll(now.values());
        inForce = new InForce(Map.copyOf(now), kept, readNanos, unfit);
        now.values().stream()
                .filter(override -> !override.equals(before.get(override.limit())))
                .forEach(this::began);
        before.keySet().stream().filter(limit -> !now.containsKey(limit)).forEach(this::ended);
    }

    private void began(LimitOverride override) {
        LOG.info(
                "Limit '{}' is overridden until {}: max-requests {}{}",
                override.limit(),
                override.until(),
                override.maxRequests(),
                override.burst() == null ? "" : ", burst " + override.burst());
        events.each(listener -> listener.publishEvent(RateLimitOverrideEvent.began(
                override.limit(), override.maxRequests(), override.burst(), override.until())));
    }

    private void ended(String limit) {
        LOG.info("Limit '{}' is not overridden any more", limit);
        events.each(listener -> listener.publishEvent(RateLimitOverrideEvent.ended(limit)));
    }
}
