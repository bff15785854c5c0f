package io.ratelimit.internal.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.internal.call.Bans;
import io.ratelimit.internal.call.StateId;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The order in which the slots of an acquisition are asked: first the one that has refused its subject last, else as the charges
 * stand. So a call that is refused again and again takes nothing of the others, which would keep some of what they give back: a
 * bucket that is nearly full what refills meanwhile, a cap all. Where refusals count for a ban, slots are asked as the charges
 * stand, because none behind one that refuses counts. Thread-safe.
 */
final class SlotOrder {

    /** The charges of a slot; other calls may be refused, and change the number, while slots are compared. */
    private record Slot(List<Charge> charges, long lastRefusal) {}

    private static final int MOST_REMEMBERED = 10_000;

    private final ToIntFunction<Charge> slot;
    private final AtomicLong refusals = new AtomicLong();

    /** The number of the last refusal. */
    private final Map<StateId, Long> lastRefusals = new ConcurrentHashMap<>();

    /** @param slot returns the slot of a charge */
    SlotOrder(ToIntFunction<Charge> slot) {
        this.slot = slot;
    }

    /** Splits an acquisition into that of each slot. */
    List<Acquisition> parts(Acquisition acquisition) {
        Map<Integer, List<Charge>> bySlot = acquisition.charges().stream()
                .collect(Collectors.groupingBy(slot::applyAsInt, LinkedHashMap::new, Collectors.toList()));
        Stream<List<Charge>> slots = Bans.areIn(acquisition.charges())
                ? bySlot.values().stream()
                : bySlot.values().stream()
                        .map(charges -> new Slot(charges, lastRefusal(charges)))
                        .sorted(Comparator.comparingLong(Slot::lastRefusal).reversed())
                        .map(Slot::charges);
        return slots.map(charges ->
                        new Acquisition(charges, Optional.empty(), acquisition.times(), acquisition.maxWait()))
                .toList();
    }

    private long lastRefusal(List<Charge> charges) {
        return charges.stream()
                .mapToLong(charge -> lastRefusals.getOrDefault(id(charge), 0L))
                .max()
                .orElse(0);
    }

    private static StateId id(Charge charge) {
        return StateId.shortened(charge.limit(), charge.subject());
    }

    /** Says that a slot has refused its part. */
    void refused(Acquisition part, Decision refusal) {
        if (lastRefusals.size() >= MOST_REMEMBERED) {
            lastRefusals.clear();
        }
        long number = refusals.incrementAndGet();
        for (int i = 0; i < part.charges().size(); i++) {
            if (refusal.limits().get(i).refuses()) {
                lastRefusals.put(id(part.charges().get(i)), number);
            }
        }
    }
}
