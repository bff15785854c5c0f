package io.ratelimit.internal.waiting;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Bans;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.Stages;
import io.ratelimit.internal.StateId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Holds the calls that wait, and makes their attempts at the store. Thread-safe. */
final class WaitingCalls {

    private final RateLimiter limiter;
    private final Scheduler scheduler;
    private final LongSupplier nanoTime;
    private final Executor completions;
    private final Lines lines = new Lines();

    WaitingCalls(RateLimiter limiter, Scheduler scheduler, LongSupplier nanoTime, Executor completions) {
        this.limiter = limiter;
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
        this.completions = completions;
    }

    int size() {
        return lines.size();
    }

    /** Makes the first attempt of a call. Lets the call wait if the store refuses it but may admit it in time. */
    Waiter start(Acquisition acquisition) {
        Waiter waiter = new Waiter(acquisition, nanoTime.getAsLong(), completions);
        if (lines.areAheadOf(waiter) && !namesElement(acquisition)) {
            join(waiter);
            return waiter;
        }
        acquire(acquisition).whenComplete((decision, failure) -> {
            if (decision != null && !decision.allowed() && mayWait(waiter, decision)) {
                join(waiter);
            } else {
                end(waiter, decision, failure, Runnable::run); // this thread may complete the caller's stage
            }
        });
        return waiter;
    }

    /**
     * Makes an attempt of the first call with the same states once the settlement is done, which may give something
     * back.
     */
    CompletionStage<Void> attemptAfter(CompletionStage<Void> settled, Acquisition acquisition) {
        return settled.toCompletableFuture().isDone() && lines.size() == 0
                ? settled
                : settled.whenComplete((done, failure) -> attempt(lines.first(Lines.states(acquisition))));
    }

    /** Makes an attempt of the first call of each line that waits for a state, alone or among others. */
    void attemptFor(StateId state) {
        lines.firstsOf(state).forEach(this::attempt);
    }

    /** Stops further calls from waiting, and decides those that wait now; returns them. */
    List<Waiter> decideAll() {
        List<Waiter> waiting = lines.close();
        waiting.forEach(this::decideSoon);
        return waiting;
    }

    /** An element that is counted already is admitted even while other calls wait. */
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
            attempt(waiter); // again, because what was given back before it joined did not cause an attempt
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
                attempt(lines.leave(waiter));
                end(waiter, decision, failure, completions);
            } else if (decision.allowed()) { // what the first call waits for was given back elsewhere
                attempt(lines.first(waiter.line));
            }
        });
    }

    /** Ends the time that a call may wait. */
    void decideSoon(Waiter waiter) {
        waiter.waitNoLonger(nanoTime.getAsLong());
        if (lines.isFirst(waiter)) {
            attempt(waiter);
        } else if (lines.isBehind(waiter)) {
            decideNow(waiter);
        }
    }

    /** Refuses a call that does not wait any more, unless it fits now together with those ahead of it. */
    private void decideNow(Waiter waiter) {
        Forecast forecast = forecast(waiter);
        attempt(lines.leave(waiter));
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
        attempt(lines.leave(waiter));
    }

    private Forecast forecast(Waiter waiter) {
        Waiter first = lines.first(waiter.line);
        Duration firstAfter = first == null ? Duration.ZERO : first.admittedAfter(nanoTime.getAsLong());
        return Forecast.of(waiter.acquisition, lines.costsUpTo(waiter), firstAfter);
    }

    private void peek(Forecast forecast, BiConsumer<@Nullable Decision, @Nullable Throwable> then) {
        Stages.call(() -> limiter.peekAsync(forecast.acquisition())).whenComplete((peeked, failure) -> {
            then.accept(failure == null ? forecast.decision(peeked) : null, failure);
        });
    }

    /** Makes an attempt of the first call of a line, and of the next one once that is decided. */
    private void attempt(@Nullable Waiter first) {
        Waiter next = first;
        while (next != null && next.beginAttempt()) {
            Waiter waiter = next;
            CompletableFuture<Decision> decided = acquire(waiter.acquisition).toCompletableFuture();
            if (!decided.isDone()) {
                decided.whenComplete((decision, failure) -> attempt(answered(waiter, decision, failure)));
                return;
            }
            next = decided.handle((decision, failure) -> answered(waiter, decision, failure))
                    .join();
        }
    }

    /** Returns the call to attempt next. */
    private @Nullable Waiter answered(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        if (decision != null && !decision.allowed() && !waiter.isAbandoned() && mayWait(waiter, decision)) {
            Refusal refusal = Refusal.of(decision);
            Duration left = timeLeft(waiter);
            waiter.admittedAt(nanoTime.getAsLong() + refusal.admittedAfter(left).toNanos());
            long nextNanos = refusal.nextAttemptAfter(left).toNanos();
            return waiter.endAttempt(() -> scheduler.schedule(nextNanos, () -> attempt(waiter))) ? null : waiter;
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
            acquire(waiter.acquisition.withMaxWait(Duration.ZERO)).whenComplete((decision, failure) -> {
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
            attemptAfter(limiter.refundAsync(waiter.acquisition, decision), waiter.acquisition);
        }
    }

    private CompletionStage<Decision> acquire(Acquisition acquisition) {
        return Stages.call(() -> limiter.acquireAsync(acquisition));
    }

    private boolean mayWait(Waiter waiter, Decision refusal) {
        return Refusal.of(refusal).fits(timeLeft(waiter));
    }

    private Duration timeLeft(Waiter waiter) {
        return waiter.left(nanoTime.getAsLong());
    }
}
