package io.ratelimit.internal.call;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Makes of a call about limits that only report one part for all other limits, and then one for each that only reports. So these
 * take nothing from the others and are not charged for a call that is refused, and one that would refuse does not keep another
 * one from being charged. The parts run on the threads of the call, within its deadline.
 */
public final class ReportOnlyLimits {

    private ReportOnlyLimits() {}

    /** Answers a call that {@link Call#reports} for the layer that it came to. */
    public static void call(Call call, Layer at) {
        if (call instanceof Decide decide) {
            decide(decide, at);
        } else {
            settle((Settle) call, at);
        }
    }

    private static void decide(Decide call, Layer at) {
        Acquisition all = call.acquisition();
        List<Charge> refusing = charges(all, false);
        if (refusing.isEmpty()) {
            report(call, Decision.unanswered(all.times()), at);
            return;
        }
        Acquisition part = new Acquisition(refusing, all.onStoreFailure(), all.times(), all.maxWait());
        at.call(call.part(part, at.above, ended -> {
            Decision decision = ended.decision();
            if (decision != null && !decision.limits().isEmpty() && (decision.allowed() || !call.isCharging())) {
                report(call, decision, at);
            } else {
                at.answerAs(call, ended);
            }
        }));
    }

    private static void report(Decide call, Decision decision, Layer at) {
        List<Charge> charges = Amounts.times(charges(call.acquisition(), true), Math.max(1, decision.taken()));
        List<Decide> parts = new ArrayList<>();
        Join join = new Join(charges.size(), failure -> at.answer(call, joined(decision, parts)));
        for (Charge charge : charges) {
            Acquisition part =
                    new Acquisition(List.of(charge), call.acquisition().onStoreFailure());
            parts.add(call.part(part, at, join));
        }
        parts.forEach(part -> ask(part, at));
    }

    private static void ask(Decide part, Layer at) {
        Charge charge = part.acquisition().charges().get(0);
        if (charge.cost() > charge.limit().largestCost()) {
            part.decided(neverFits(charge.limit()));
            part.end();
        } else {
            at.passOn(part);
        }
    }

    /** A refusal, although no time makes it fit: nobody is told that time. */
    private static Decision neverFits(Limit limit) {
        LimitStatus status = new LimitStatus(limit, 0, limit.windowSize(), limit.windowSize());
        return new Decision(false, List.of(status), Decision.Source.NONE, Instant.EPOCH);
    }

    /** If all limits only report, the decision is one of the store that decided the first of them. */
    private static Decision joined(Decision decision, List<Decide> parts) {
        List<Decision> reported = parts.stream()
                .map(part -> part.decision() == null ? Decision.unanswered() : part.decision())
                .toList();
        if (!decision.limits().isEmpty()) {
            return decision.withReported(reported);
        }
        Decision first = reported.get(0);
        return new Decision(true, List.of(), first.source(), first.decidedAt(), decision.taken(), reported);
    }

    private static void settle(Settle call, Layer at) {
        Acquisition all = call.acquisition();
        Decision settled = call.settled();
        List<Charge> charges = Amounts.times(charges(all, true), settled.taken());
        long[] actual = actual(call, true);
        Join join = new Join(charges.size() + 1, failure -> at.end(call, failure));
        for (int i = 0; i < charges.size(); i++) {
            Decision decision = settled.reported().get(i);
            if (decision.allowed() && decision.source() != Decision.Source.NONE) {
                at.passOn(call.instead(new Acquisition(List.of(charges.get(i))), decision, at, join, actual[i]));
            } else {
                join.accept(call);
            }
        }
        if (settled.limits().isEmpty()) {
            join.accept(call);
        } else {
            Acquisition part = new Acquisition(charges(all, false), all.onStoreFailure(), all.times());
            at.call(call.instead(part, settled.withReported(List.of()), at.above, join, actual(call, false)));
        }
    }

    private static List<Charge> charges(Acquisition acquisition, boolean reportOnly) {
        return acquisition.charges().stream()
                .filter(charge -> charge.limit().reportOnly() == reportOnly)
                .toList();
    }

    /** Returns what the call cost each charge of that kind. */
    private static long[] actual(Settle call, boolean reportOnly) {
        List<Charge> charges = call.acquisition().charges();
        return IntStream.range(0, charges.size())
                .filter(i -> charges.get(i).limit().reportOnly() == reportOnly)
                .mapToLong(call::actual)
                .toArray();
    }
}
