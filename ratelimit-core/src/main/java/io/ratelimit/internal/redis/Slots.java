package io.ratelimit.internal.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Join;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.Settle;
import io.ratelimit.internal.call.Settlements;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Decides acquisitions over several slots of a Cluster, all or nothing. It calls one slot after the other and gives
 * back what it took if one refuses or fails. In between, other calls may see less quota than there is, but never more.
 * The timeout holds for all slots together. Thread-safe.
 */
public final class Slots extends Layer {

    private final RedisStore store;
    private final Executor callbacks;
    private final SlotOrder order;

    /** @param callbacks runs refunds for calls that have failed */
    public Slots(RedisStore store, Executor callbacks) {
        super(store);
        this.store = store;
        this.callbacks = callbacks;
        this.order = new SlotOrder(store::slot);
    }

    @Override
    public void call(Call call) {
        if (call instanceof Decide decide && decide.acquisition().charges().size() > 1) {
            decide(decide, order.parts(decide.acquisition()));
        } else if (call instanceof Settle settle && isOfSeveralSlots(settle)) {
            settle(settle);
        } else {
            passOn(call);
        }
    }

    /** One charge may have been decided among others, later than the earliest of them. */
    private static boolean isOfSeveralSlots(Settle call) {
        return call.acquisition().charges().size() > 1
                || call.settled().limits().stream()
                        .anyMatch(status -> !status.decidedLater().isZero());
    }

    private void decide(Decide call, List<Acquisition> parts) {
        if (parts.size() == 1) {
            passOn(call);
        } else if (call.isCharging()) {
            new Walk(call, parts).next();
        } else {
            peek(call, parts, answers -> answer(call, SlotAnswer.merged(call.acquisition(), answers)));
        }
    }

    private void settle(Settle call) {
        List<Charge> charges = call.acquisition().charges();
        // by index: two equal charges may have different actual costs
        Map<Integer, List<Integer>> bySlot = IntStream.range(0, charges.size())
                .boxed()
                .collect(Collectors.groupingBy(index -> store.slot(charges.get(index))));
        long[] each = Settlements.ofEach(charges, call.actual());
        Join join = new Join(bySlot.size(), failure -> end(call, failure));
        bySlot.values().forEach(indexes -> {
            Acquisition part =
                    new Acquisition(indexes.stream().map(charges::get).toList());
            long[] ofPart = indexes.stream().mapToLong(index -> each[index]).toArray();
            passOn(call.instead(part, partOf(call.settled(), indexes), this, join, ofPart));
        });
    }

    private static Decision partOf(Decision decision, List<Integer> indexes) {
        List<LimitStatus> limits =
                indexes.stream().map(index -> decision.limits().get(index)).toList();
        Instant decidedAt = decision.decidedAt().plus(limits.get(0).decidedLater()); // one slot decides at one time
        return new Decision(true, limits, decision.source(), decidedAt, decision.taken());
    }

    private void peek(Decide call, List<Acquisition> parts, Consumer<List<SlotAnswer>> then) {
        List<Decide> peeks = new ArrayList<>();
        Join join = new Join(parts.size(), failure -> {
            if (failure == null) {
                then.accept(peeks.stream()
                        .map(peek -> new SlotAnswer(peek.acquisition(), Objects.requireNonNull(peek.decision())))
                        .collect(Collectors.toCollection(ArrayList::new)));
            } else {
                fail(call, failure);
            }
        });
        parts.forEach(part -> peeks.add(call.peek(part, this, join)));
        peeks.forEach(this::passOn);
    }

    /** The progress of one acquisition from slot to slot. Used by one thread after the other. */
    private final class Walk {

        private final Decide call;
        private final List<Acquisition> parts;
        private final List<SlotAnswer> taken = new ArrayList<>();

        Walk(Decide call, List<Acquisition> parts) {
            this.call = call;
            this.parts = parts;
        }

        void next() {
            Acquisition part = parts.get(taken.size());
            Acquisition fitting = taken.isEmpty() || part.times() == 1 // which a limit with a lease always is
                    ? part
                    : part.upTo(taken.get(taken.size() - 1).decision().taken());
            passOn(call.acquire(fitting, Slots.this, answered -> answered(fitting, answered)));
        }

        private void answered(Acquisition part, Call answered) {
            Decision decision = answered.decision();
            if (decision == null) {
                taken.forEach(answer -> giveBack(answer.part(), answer.decision()));
                fail(call, Objects.requireNonNull(answered.failure()));
            } else if (!decision.allowed()) {
                refused(new SlotAnswer(part, decision));
            } else {
                taken.add(new SlotAnswer(part, decision));
                if (taken.size() == parts.size()) {
                    answer(call, SlotAnswer.merged(call.acquisition(), withoutSurplus(decision.taken())));
                } else {
                    next();
                }
            }
        }

        /** Gives back what earlier parts took more often than the last one, in which less fitted. */
        private List<SlotAnswer> withoutSurplus(int times) {
            List<SlotAnswer> kept = new ArrayList<>();
            for (SlotAnswer answer : taken) {
                int surplus = answer.decision().taken() - times;
                if (surplus > 0) {
                    giveBack(answer.part(), answer.decision().taken(surplus));
                }
                kept.add(surplus > 0 ? answer.keeping(times) : answer);
            }
            return kept;
        }

        /** Gives all back, and peeks at the other parts then. */
        private void refused(SlotAnswer refusal) {
            order.refused(refusal.part(), refusal.decision());
            List<Acquisition> others = parts.stream()
                    .filter(part -> !part.charges().equals(refusal.part().charges()))
                    .toList();
            Runnable peek = () -> peek(call, others, answers -> {
                answers.add(refusal);
                answer(call, SlotAnswer.merged(call.acquisition(), answers));
            });
            if (taken.isEmpty()) {
                peek.run();
                return;
            }
            Join join = new Join(taken.size(), failure -> {
                if (failure == null) {
                    peek.run();
                } else {
                    fail(call, failure);
                }
            });
            taken.forEach(answer -> passOn(Settle.refund(answer.part(), answer.decision(), call, Slots.this, join)));
        }

        private void giveBack(Acquisition part, Decision decision) {
            passOn(Settle.refund(part, decision, Slots.this, callbacks, ended -> {}));
        }
    }
}
