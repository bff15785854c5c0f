package io.ratelimit.internal.waiting;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Bans;
import io.ratelimit.internal.ForwardingRateLimiter;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.Stages;
import io.ratelimit.internal.StateId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls wait that ask for it by {@link Acquisition#maxWait}, and forwards all others. Thread-safe.
 *
 * <p>Calls with the same limits and subjects wait in a line. Only the first one asks the store: when its last refusal says
 * that it fits, and when a call of the same states is settled here. It is charged by the decision that admits it, so that
 * waiting can admit nothing extra. A call that joins behind others first asks when all of them and itself would fit, and is
 * refused if that is too late. If other callers then take the quota, it is refused when its time is over.
 *
 * <p>Example: one a second, and three calls that may wait for 2 s come at once after an admitted one. The first two are
 * admitted after 1 s and 2 s. The third is refused at once, with a {@code retryAfter} of 3 s.
 */
public final class WaitingRateLimiter extends ForwardingRateLimiter implements AutoCloseable {

    private static final Duration CLOSING = Duration.ofSeconds(1);

    private final Scheduler scheduler;
    private final LongSupplier nanoTime;
    private final Executor completions;
    private final Lines lines = new Lines();

    /**
     * @param scheduler asks again when a call fits
     * @param completions completes the stages of calls that have waited
     */
    public WaitingRateLimiter(RateLimiter limiter, Scheduler scheduler, LongSupplier nanoTime, Executor completions) {
        super(limiter);
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
        this.completions = completions;
    }

    /** Returns how many calls wait now. */
    public long waiting() {
        return lines.size();
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        if (acquisition.maxWait().isZero()) {
            return limiter.acquire(acquisition);
        }
        Waiter waiter = Stages.startForWaiting(() -> start(acquisition));
        try {
            waiter.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            decideSoon(waiter);
        } catch (ExecutionException failed) {
            // thrown below, without the wrapping exception
        }
        return Stages.await(() -> waiter);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return acquisition.maxWait().isZero() ? limiter.acquireAsync(acquisition) : start(acquisition);
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        CompletionStage<Void> settled = limiter.settleAsync(acquisition, decision, actual);
        return settled.toCompletableFuture().isDone() && lines.size() == 0
                ? settled
                : settled.whenComplete((done, failure) -> ask(lines.first(Lines.states(acquisition))));
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return limiter.resetAsync(limit, subject)
                .whenComplete((done, failure) ->
                        lines.firstsOf(StateId.of(limit, subject)).forEach(this::ask));
    }

    /**
     * Decides all calls that wait, and waits for that, for a second at most: a store that is closed next would let them be
     * decided by the policy of an outage. Later calls do not wait.
     */
    @Override
    public void close() {
        List<Waiter> waiting = lines.close();
        waiting.forEach(this::decideSoon);
        CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new))
                .handle((done, failure) -> true)
                .completeOnTimeout(false, CLOSING.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private Waiter start(Acquisition acquisition) {
        Waiter waiter = new Waiter(acquisition, nanoTime.getAsLong(), completions);
        if (lines.areAheadOf(waiter) && !namesElement(acquisition)) {
            join(waiter);
            return waiter;
        }
        asked(acquisition).whenComplete((decision, failure) -> {
            if (decision != null && !decision.allowed() && mayWait(waiter, decision)) {
                join(waiter);
            } else {
                end(waiter, decision, failure, Runnable::run); // this thread may complete the caller's stage
            }
        });
        return waiter;
    }

    /** An element that is counted already is admitted whatever others wait for. */
    private static boolean namesElement(Acquisition acquisition) {
        return acquisition.charges().stream()
                .anyMatch(charge -> charge.element().isPresent());
    }

    private void join(Waiter waiter) {
        Lines.Place place = lines.join(waiter);
        if (place == Lines.Place.NONE) {
            decideNow(waiter);
            return;
        }
        waiter.whenComplete((decision, failure) -> left(waiter)); // also when it is cancelled
        if (place == Lines.Place.FIRST) {
            ask(waiter); // once more: from now on it notices what is given back
        } else {
            waiter.setAlarm(() -> scheduler.schedule(timeLeft(waiter).toNanos(), () -> decideSoon(waiter)));
            checkFits(waiter);
        }
    }

    /** Refuses a call if those ahead of it leave it no quota in time. */
    private void checkFits(Waiter waiter) {
        peek(forecast(waiter), (decision, failure) -> {
            if (!lines.isBehind(waiter)) {
                return;
            }
            if (decision == null || (!decision.allowed() && !mayWait(waiter, decision))) {
                ask(lines.leave(waiter));
                end(waiter, decision, failure, completions);
            } else if (decision.allowed()) { // what the first call waits for was given back elsewhere
                ask(lines.first(waiter.line));
            }
        });
    }

    /** Ends the time that a call may wait. */
    private void decideSoon(Waiter waiter) {
        waiter.waitNoLonger(nanoTime.getAsLong());
        if (lines.isFirst(waiter)) {
            ask(waiter);
        } else if (lines.isBehind(waiter)) {
            decideNow(waiter);
        }
    }

    /** Refuses a call that does not wait any more, unless it fits now together with those ahead of it. */
    private void decideNow(Waiter waiter) {
        Forecast forecast = forecast(waiter);
        ask(lines.leave(waiter));
        peek(forecast, (decision, failure) -> {
            if (decision != null && decision.allowed()) {
                acquireNow(waiter);
            } else {
                end(waiter, decision, failure, completions);
            }
        });
    }

    private void left(Waiter waiter) {
        waiter.stopAlarm();
        ask(lines.leave(waiter));
    }

    private Forecast forecast(Waiter waiter) {
        Waiter first = lines.first(waiter.line);
        Duration firstAfter = first == null ? Duration.ZERO : first.admittedAfter(nanoTime.getAsLong());
        return Forecast.of(waiter.acquisition, lines.costsUpTo(waiter), firstAfter);
    }

    private void peek(Forecast forecast, BiConsumer<@Nullable Decision, @Nullable Throwable> then) {
        Stages.call(() -> limiter.peekAsync(forecast.asked())).whenComplete((peeked, failure) -> {
            then.accept(failure == null ? forecast.decision(peeked) : null, failure);
        });
    }

    /** Asks the store for the first call of a line, and for the next one if that is decided. */
    private void ask(@Nullable Waiter first) {
        Waiter next = first;
        while (next != null && next.beginAsking()) {
            Waiter waiter = next;
            CompletableFuture<Decision> asked = asked(waiter.acquisition).toCompletableFuture();
            if (!asked.isDone()) {
                asked.whenComplete((decision, failure) -> ask(answered(waiter, decision, failure)));
                return;
            }
            next = asked.handle((decision, failure) -> answered(waiter, decision, failure))
                    .join();
        }
    }

    /** Returns the call to ask for next. */
    private @Nullable Waiter answered(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        if (decision != null && !decision.allowed() && !waiter.isAbandoned() && mayWait(waiter, decision)) {
            Duration after = Refusal.of(decision).askAfter(timeLeft(waiter));
            waiter.admittedAt(nanoTime.getAsLong() + after.toNanos());
            return waiter.endAsking(() -> scheduler.schedule(after.toNanos(), () -> ask(waiter))) ? null : waiter;
        }
        Waiter next = lines.leave(waiter);
        end(waiter, decision, failure, completions);
        return next;
    }

    private void end(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure, Executor completeOn) {
        if (failure != null || decision == null) {
            waiter.completeExceptionally(Stages.unwrap(Objects.requireNonNull(failure)));
        } else if (!decision.allowed()
                && Bans.areIn(waiter.acquisition.charges())
                && !Refusal.of(decision).banned()) {
            acquireNow(waiter); // counts the refusal
        } else {
            deliver(waiter, decision, completeOn);
        }
    }

    private void acquireNow(Waiter waiter) {
        if (!waiter.isAbandoned()) {
            asked(waiter.acquisition.withMaxWait(Duration.ZERO)).whenComplete((decision, failure) -> {
                if (failure == null) {
                    deliver(waiter, decision, completions);
                } else {
                    waiter.completeExceptionally(Stages.unwrap(failure));
                }
            });
        }
    }

    private void deliver(Waiter waiter, Decision decision, Executor completeOn) {
        if (!waiter.complete(decision, completeOn) && decision.allowed()) {
            refundAsync(waiter.acquisition, decision);
        }
    }

    private CompletionStage<Decision> asked(Acquisition acquisition) {
        return Stages.call(() -> limiter.acquireAsync(acquisition));
    }

    private boolean mayWait(Waiter waiter, Decision refusal) {
        return Refusal.of(refusal).fits(timeLeft(waiter));
    }

    private Duration timeLeft(Waiter waiter) {
        return waiter.left(nanoTime.getAsLong());
    }
}
