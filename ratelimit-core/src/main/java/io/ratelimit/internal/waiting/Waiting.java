package io.ratelimit.internal.waiting;

import io.ratelimit.Decision;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.Bans;
import io.ratelimit.internal.call.BeginBan;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.ReportOnlyLimits;
import io.ratelimit.internal.call.Settle;
import io.ratelimit.internal.call.StateId;
import io.ratelimit.internal.call.SubjectChange;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls with an {@link io.ratelimit.Acquisition#maxWait} wait for quota, and passes all others on. Thread-safe.
 *
 * <p>Calls with the same limits and subjects wait in a line, in which each has its place from when it came. A call makes its
 * first attempt at the store at once, unless one ahead of it waits. After that only the first one of the line makes
 * attempts: at the time when it fits by its last refusal, when a call of the same states is settled here, and every second
 * while this process decides by itself because the store does not answer. The decision that admits a call charges it, so
 * waiting admits nothing extra. A call behind others peeks when all of them and itself would fit, and is refused if that is
 * too late. If other callers then take the quota, it is refused when its time is over.
 *
 * <p>After a block all processes would try again at one moment. The first call of each line therefore comes later by a random
 * part of a tenth of its wait or of the window, whichever is longer, at most a second.
 *
 * <p>Example: one a second, and three calls that may wait for 2 s come at once after an admitted one. The first two are
 * admitted after 1 s and 2 s. The third is refused at once, with a {@code retryAfter} of 3 s.
 */
public final class Waiting extends Layer implements AutoCloseable {

    private static final Duration CLOSING = Duration.ofSeconds(1);

    private final Scheduler scheduler;
    private final LongSupplier nanoTime;
    private final BooleanSupplier onScarceThread;
    private final LongUnaryOperator spread;
    private final Lines lines;

    /**
     * @param scheduler wakes a call when it is expected to fit
     * @param threads bounds the threads that wait
     */
    public Waiting(Layer next, Scheduler scheduler, LongSupplier nanoTime, ScarceThreads threads) {
        this(
                next,
                scheduler,
                nanoTime,
                threads,
                most -> ThreadLocalRandom.current().nextLong(most + 1));
    }

    /** @param spread returns how much later than a block's end a call is tried again, of that many ns at most */
    Waiting(Layer next, Scheduler scheduler, LongSupplier nanoTime, ScarceThreads threads, LongUnaryOperator spread) {
        super(next);
        this.onScarceThread = threads.isOne();
        this.lines = new Lines(threads.mostWaiting());
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
        this.spread = spread;
    }

    /** Returns how many calls wait now. */
    public long waiting() {
        return lines.waiting();
    }

    @Override
    public void call(Call call) {
        if (call.reports()) {
            ReportOnlyLimits.call(call, this);
        } else if (call instanceof Decide decide && decide.mayWait()) {
            start(decide);
        } else {
            passOn(call);
        }
    }

    @Override
    protected void answered(Call call) {
        if (call instanceof Decide decide && decide.keeper() instanceof Waiter waiter) {
            answered(waiter);
            return;
        }
        back(call);
        if (lines.size() > 0) {
            if (call instanceof Settle settle) {
                settle.acquisition().charges().forEach(charge -> attemptFor(StateId.of(charge)));
            } else if (call instanceof SubjectChange change && !(change instanceof BeginBan)) {
                attemptFor(StateId.of(change.limit(), change.subject()));
            }
        }
    }

    /** Takes a place in line, and makes the first attempt unless a call ahead waits. */
    private void start(Decide call) {
        boolean holdsScarceThread = call.blocksThread() && onScarceThread.getAsBoolean();
        Waiter waiter = new Waiter(call, this, holdsScarceThread, nanoTime.getAsLong());
        call.keptBy(waiter); // first, for once it is in line others may make it go on
        Lines.Joined joined = lines.join(waiter);
        if (joined == Lines.Joined.FULL) {
            decideNow(waiter);
        } else if (joined == Lines.Joined.FREE) {
            depart(waiter);
        } else if (lines.letsWait(waiter)) {
            rest(waiter);
        } else {
            decideNow(waiter);
        }
    }

    private void depart(Waiter waiter) {
        if (waiter.depart()) {
            waiter.call.renewDeadline();
            passOn(waiter.call);
        }
    }

    private void answered(Waiter waiter) {
        Decision decision = waiter.call.decision();
        if (decision == null || decision.allowed() || waiter.call.isGivenUp() || !mayWait(waiter, decision)) {
            end(waiter);
            return;
        }
        if (!lines.letsWait(waiter)) {
            end(waiter);
            return;
        }
        boolean isFirstRefusal = !waiter.isRefused();
        Refusal refusal = Refusal.of(decision);
        waiter.refusedUntil(
                nanoTime.getAsLong() + refusal.admittedAfter(left(waiter)).toNanos());
        if (lines.isFirst(waiter)) {
            Duration next = refusal.nextAttemptAfter(left(waiter), spread);
            rests(waiter, next, () -> callOn(waiter));
        } else {
            rest(waiter);
        }
        if (isFirstRefusal) {
            lines.unsureBehind(waiter).forEach(this::callOn);
        }
    }

    /** Lets a call behind others rest until its time is over, unless those ahead leave it no quota in time. */
    private void rest(Waiter waiter) {
        if (rests(waiter, left(waiter), () -> decideSoon(waiter))) {
            checkFits(waiter);
        }
    }

    /** Lets a call rest until the alarm, unless it was called on or given up meanwhile. */
    private boolean rests(Waiter waiter, Duration time, Runnable alarm) {
        if (!waiter.rest(() -> scheduler.schedule(time.toNanos(), alarm))) {
            goOn(waiter);
            return false;
        }
        if (waiter.call.isGivenUp()) {
            forget(waiter);
            return false;
        }
        return true;
    }

    /** Makes a call that rests go on, on a thread of its own. */
    private void callOn(@Nullable Waiter waiter) {
        if (waiter != null && waiter.callOn()) {
            waiter.call.goOn(() -> goOn(waiter));
        }
    }

    /** Makes an attempt if the call is the first of its line. One behind others only looks again whether it fits in time. */
    private void goOn(Waiter waiter) {
        if (lines.isFirst(waiter)) {
            depart(waiter);
        } else if (left(waiter).isZero()) {
            decideNow(waiter);
        } else {
            rest(waiter);
        }
    }

    /** Refuses a resting call if those ahead of it leave it no quota in time. */
    private void checkFits(Waiter waiter) {
        peek(waiter, lines.forecast(waiter, nanoTime.getAsLong()), answered -> {
            Decision forecast = answered.decision();
            if (!lines.isBehind(waiter)) {
                return;
            }
            if (forecast == null || (!forecast.allowed() && !mayWait(waiter, forecast))) {
                if (waiter.endResting()) {
                    waiter.call.answeredAs(answered);
                    end(waiter);
                }
            } else if (forecast.allowed()) { // what the first call waits for was given back elsewhere
                callOn(lines.first(waiter.line));
            }
        });
    }

    /** Makes the first call of each line try again that waits for a state, alone or among others. */
    private void attemptFor(StateId state) {
        lines.firstsOf(state).forEach(this::callOn);
    }

    /** Ends the time that a call may wait. */
    void decideSoon(Waiter waiter) {
        waiter.waitNoLonger(nanoTime.getAsLong());
        callOn(waiter);
    }

    /** Refuses a call that does not wait any more, unless it fits now together with those ahead of it. */
    private void decideNow(Waiter waiter) {
        if (!waiter.depart()) {
            return;
        }
        peek(waiter, lines.forecast(waiter, nanoTime.getAsLong()), answered -> {
            Decision forecast = answered.decision();
            if (forecast != null && forecast.allowed()) {
                waiter.end();
                leave(waiter);
                acquireNow(waiter);
            } else {
                waiter.call.answeredAs(answered);
                end(waiter);
            }
        });
    }

    private void peek(Waiter waiter, Forecast forecast, Consumer<Call> then) {
        waiter.call.renewDeadline();
        passOn(waiter.call.peek(forecast.acquisition(), this, peeked -> {
            if (peeked.decision() != null) {
                peeked.decided(forecast.decision(peeked.decision()));
            }
            then.accept(peeked);
        }));
    }

    /** Ends the wait of a call that has its answer. Makes a refusal count for a ban, which those of attempts do not. */
    private void end(Waiter waiter) {
        waiter.end();
        leave(waiter);
        Decision decision = waiter.call.decision();
        if (decision != null
                && !decision.allowed()
                && Bans.areIn(waiter.call.acquisition().charges())
                && !Refusal.of(decision).banned()) {
            acquireNow(waiter);
        } else {
            back(waiter.call);
            waiter.ended.complete(null);
        }
    }

    private void acquireNow(Waiter waiter) {
        Decide call = waiter.call;
        call.renewDeadline();
        passOn(call.acquire(call.acquisition().withMaxWait(Duration.ZERO), this, answered -> {
            answerAs(call, answered);
            waiter.ended.complete(null);
        }));
    }

    /** Removes a call from its line. */
    private void leave(Waiter waiter) {
        callOn(lines.leave(waiter));
    }

    /** Forgets a call that its caller has given up. If it is in flight, the store answers it nevertheless. */
    void forget(Waiter waiter) {
        if (waiter.endResting()) {
            fail(waiter.call, new CancellationException());
            waiter.ended.complete(null);
        }
        leave(waiter);
    }

    private boolean mayWait(Waiter waiter, Decision refusal) {
        return Refusal.of(refusal).fits(left(waiter));
    }

    private Duration left(Waiter waiter) {
        return waiter.left(nanoTime.getAsLong());
    }

    /**
     * Decides all calls that wait, and returns when that is done, after a second at most. Once the store is closed, the
     * failure policy would decide them instead. Later calls do not wait.
     */
    @Override
    public void close() {
        List<Waiter> waiting = lines.close();
        waiting.forEach(this::decideSoon);
        CompletableFuture.allOf(waiting.stream().map(waiter -> waiter.ended).toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, CLOSING.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}
