package io.ratelimit.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Deadline;
import io.ratelimit.internal.Settlements;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Decides acquisitions over several slots of a Cluster, all or nothing. It calls one slot after the other and gives
 * back what it took if one refuses or fails. In between, other calls may see less quota than there is, but never more.
 * The timeout holds for all slots together; what is charged for a caller that has timed out is refunded. Thread-safe.
 */
final class MultiSlotRateLimiter implements RateLimiter {

    private final SingleSlotRateLimiter oneSlot;
    private final Function<Charge, Integer> slotOf;
    private final Deadline deadline;

    MultiSlotRateLimiter(SingleSlotRateLimiter oneSlot, Function<Charge, Integer> slotOf, Deadline deadline) {
        this.oneSlot = oneSlot;
        this.slotOf = slotOf;
        this.deadline = deadline;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        List<Acquisition> parts = parts(acquisition);
        if (parts.size() == 1) {
            return oneSlot.acquireAsync(acquisition);
        }
        CompletionStage<Decision> decided =
                acquireFrom(0, parts, new ArrayList<>()).thenApply(answers -> SlotAnswer.merged(acquisition, answers));
        return deadline.hold(this, acquisition, decided);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return peek(parts(acquisition)).thenApply(answers -> SlotAnswer.merged(acquisition, answers));
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        List<Charge> charges = acquisition.charges();
        long[] each = Settlements.ofEach(charges, actual);
        // by index: two equal charges may have different actual costs
        Map<Integer, List<Integer>> bySlot = IntStream.range(0, charges.size())
                .boxed()
                .collect(Collectors.groupingBy(index -> slotOf.apply(charges.get(index))));
        return CompletableFuture.allOf(bySlot.values().stream()
                .map(indexes -> {
                    Acquisition part =
                            new Acquisition(indexes.stream().map(charges::get).toList());
                    long[] ofPart =
                            indexes.stream().mapToLong(index -> each[index]).toArray();
                    return oneSlot.settleAsync(part, partOf(decision, indexes), ofPart)
                            .toCompletableFuture();
                })
                .toArray(CompletableFuture[]::new));
    }

    private static Decision partOf(Decision decision, List<Integer> indexes) {
        List<LimitStatus> limits =
                indexes.stream().map(index -> decision.limits().get(index)).toList();
        Instant decidedAt = decision.decidedAt().plus(limits.get(0).decidedLater()); // one slot decides at one time
        return new Decision(true, limits, decision.source(), decidedAt, decision.taken());
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return oneSlot.resetAsync(limit, subject);
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        return oneSlot.banAsync(limit, subject);
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        return oneSlot.unbanAsync(limit, subject);
    }

    private CompletionStage<List<SlotAnswer>> acquireFrom(int index, List<Acquisition> parts, List<SlotAnswer> taken) {
        if (index == parts.size()) {
            return withoutSurplus(taken);
        }
        Acquisition part = index == 0
                ? parts.get(0)
                : parts.get(index).upTo(taken.get(index - 1).decision().taken());
        return oneSlot.acquireAsync(part)
                .<CompletionStage<List<SlotAnswer>>>handle((decision, failure) -> {
                    if (failure != null) {
                        return afterGivingBack(taken, CompletableFuture.failedFuture(failure));
                    }
                    if (!decision.allowed()) {
                        return giveBack(taken).thenCompose(done -> refused(parts, new SlotAnswer(part, decision)));
                    }
                    taken.add(new SlotAnswer(part, decision));
                    return acquireFrom(index + 1, parts, taken);
                })
                .thenCompose(Function.identity());
    }

    /** Gives back what earlier parts took more often than the last one, in which less fitted. */
    private CompletionStage<List<SlotAnswer>> withoutSurplus(List<SlotAnswer> taken) {
        int times = taken.get(taken.size() - 1).decision().taken();
        List<SlotAnswer> above = taken.stream()
                .filter(answer -> answer.decision().taken() > times)
                .toList();
        if (above.isEmpty()) {
            return CompletableFuture.completedFuture(taken);
        }
        List<SlotAnswer> kept = taken.stream().map(each -> each.keeping(times)).toList();
        return CompletableFuture.allOf(above.stream()
                        .map(each -> oneSlot.keep(times, each.part(), each.decision())
                                .toCompletableFuture())
                        .toArray(CompletableFuture[]::new))
                .handle((done, failure) -> kept); // what could not be given back stays charged
    }

    /** Returns the answers of all parts after one refused and the others were refunded: the others are peeked at. */
    private CompletionStage<List<SlotAnswer>> refused(List<Acquisition> parts, SlotAnswer refusal) {
        List<Acquisition> others = parts.stream()
                .filter(part -> !part.charges().equals(refusal.part().charges()))
                .toList();
        return peek(others).thenApply(answered -> {
            answered.add(refusal);
            return answered;
        });
    }

    private CompletionStage<List<SlotAnswer>> peek(List<Acquisition> parts) {
        CompletionStage<List<SlotAnswer>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Acquisition part : parts) {
            all = all.thenCombine(oneSlot.peekAsync(part), (answered, decision) -> {
                answered.add(new SlotAnswer(part, decision));
                return answered;
            });
        }
        return all;
    }

    private CompletionStage<Void> giveBack(List<SlotAnswer> taken) {
        return CompletableFuture.allOf(taken.stream()
                .map(answer ->
                        oneSlot.refundAsync(answer.part(), answer.decision()).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    /** Returns the outcome even if giving back fails, because the first failure is the cause. */
    private <T> CompletionStage<T> afterGivingBack(List<SlotAnswer> taken, CompletionStage<T> outcome) {
        return giveBack(taken).handle((done, failure) -> outcome).thenCompose(Function.identity());
    }

    private List<Acquisition> parts(Acquisition acquisition) {
        Map<Integer, List<Charge>> bySlot = acquisition.charges().stream()
                .collect(Collectors.groupingBy(slotOf, LinkedHashMap::new, Collectors.toList()));
        return bySlot.values().stream()
                .map(charges -> new Acquisition(charges, Optional.empty(), acquisition.times(), acquisition.maxWait()))
                .toList();
    }
}
