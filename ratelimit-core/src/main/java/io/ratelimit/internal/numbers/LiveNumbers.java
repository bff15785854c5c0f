package io.ratelimit.internal.numbers;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Gives each call the numbers that are in force when it comes: those that override all others, or those that are provided for
 * the subject. All limits of a call are overridden by one reading, so that no call is decided by half of a change. What was
 * decided is settled by the numbers that decided it. Thread-safe.
 */
public final class LiveNumbers extends Layer {

    private final Supplier<UnaryOperator<Limit>> overrides;
    private final @Nullable ProvidedLimits provided;
    private final Scheduler scheduler;
    private final Duration timeout;
    private final Supplier<Duration> patience;

    /**
     * @param provided null if nothing provides numbers
     * @param timeout half of it may pass until provided numbers are known
     * @param patience how long a decision may take now, with that
     */
    public LiveNumbers(
            Layer next,
            Supplier<UnaryOperator<Limit>> overrides,
            @Nullable ProvidedLimits provided,
            Scheduler scheduler,
            Duration timeout,
            Supplier<Duration> patience) {
        super(next);
        this.overrides = overrides;
        this.provided = provided;
        this.scheduler = scheduler;
        this.timeout = timeout;
        this.patience = patience;
    }

    @Override
    public void call(Call call) {
        if (call instanceof Decide decide) {
            decide(decide, true);
        } else if (call instanceof Settle settle) {
            settle(settle);
        } else {
            passOn(call);
        }
    }

    private void decide(Decide call, boolean mayWait) {
        UnaryOperator<Limit> numbers = overrides.get();
        List<Charge> charges = call.acquisition().charges();
        if (provided == null && overridesNone(numbers, charges)) {
            passOn(call);
            return;
        }
        Charge[] asked = charges.toArray(Charge[]::new);
        List<ProvidedNumbers> unknown = new ArrayList<>(0);
        try {
            for (int i = 0; i < asked.length; i++) {
                Limit overridden = numbers.apply(asked[i].limit());
                ProvidedNumbers known = provided(asked[i], overridden);
                if (known != null && !known.first().isDone()) { // first: they may come while the numbers are asked for
                    unknown.add(known);
                }
                asked[i] = OtherNumbers.with(asked[i], inForce(asked[i].limit(), overridden, known));
            }
            if (mayWait && !unknown.isEmpty()) {
                await(call, unknown);
                return;
            }
            call.ask(OtherNumbers.with(call.acquisition(), asked));
        } catch (CostExceedsCapacityException never) {
            fail(call, never);
            return;
        }
        passOn(call);
    }

    /** Nearly all calls are about limits that have their own numbers. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean overridesNone(UnaryOperator<Limit> numbers, List<Charge> charges) {
        for (int i = 0; i < charges.size(); i++) {
            Limit own = charges.get(i).limit();
            if (numbers.apply(own) != own) {
                return false;
            }
        }
        return true;
    }

    /** Returns what is provided for the charge; null if nothing is, or its limit is overridden. */
    @SuppressWarnings("ReferenceEquality")
    private @Nullable ProvidedNumbers provided(Charge charge, Limit overridden) {
        Limit own = charge.limit();
        return provided != null && overridden == own && provided.isProvided(own)
                ? provided.of(own, charge.subject())
                : null;
    }

    /** Returns the limit that decides. An override that has the limit's own numbers is one, too. */
    private static Limit inForce(Limit own, Limit overridden, @Nullable ProvidedNumbers known) {
        return known == null ? OtherNumbers.unlessMoreDiffers(own, overridden) : known.of(own);
    }

    /** Decides when everything is known, or half of the timeout is over; the store has the rest. Later calls do not wait. */
    private void await(Decide call, List<ProvidedNumbers> unknown) {
        long endNanos = System.nanoTime() + patience.get().toNanos();
        Future<?> timer =
                scheduler.schedule(timeout.toNanos() / 2, () -> unknown.forEach(ProvidedNumbers::awaitNoLonger));
        CompletableFuture.allOf(unknown.stream().map(ProvidedNumbers::first).toArray(CompletableFuture[]::new))
                .whenComplete((known, failure) -> {
                    timer.cancel(false);
                    call.goOn(() -> {
                        call.deadlineNanos(endNanos - System.nanoTime());
                        decide(call, false);
                    });
                });
    }

    @SuppressWarnings("ReferenceEquality")
    private void settle(Settle call) {
        Acquisition settled = OtherNumbers.with(call.acquisition(), decided(call));
        if (settled == call.acquisition()) {
            passOn(call);
        } else {
            passOn(call.instead(settled, call.settled(), this, ended -> answerAs(call, ended), call.actual()));
        }
    }

    /** Returns the charges, each to the limit to settle it by. What limits that only report would have decided stands apart. */
    private static Charge[] decided(Settle call) {
        Iterator<LimitStatus> refusing = call.settled().limits().iterator();
        Iterator<Decision> reporting = call.settled().reported().iterator();
        Charge[] charges = call.acquisition().charges().toArray(Charge[]::new);
        for (int i = 0; i < charges.length; i++) {
            Limit own = charges[i].limit();
            Limit decided;
            if (own.reportOnly() && reporting.hasNext()) {
                List<LimitStatus> reported = reporting.next().limits();
                decided = reported.isEmpty() ? own : reported.get(0).limit();
            } else {
                decided = refusing.next().limit();
            }
            charges[i] = OtherNumbers.with(charges[i], OtherNumbers.unlessMoreDiffers(own, decided));
        }
        return charges;
    }
}
