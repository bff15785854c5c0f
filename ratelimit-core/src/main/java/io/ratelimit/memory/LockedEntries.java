package io.ratelimit.memory;

import io.ratelimit.Charge;
import io.ratelimit.internal.Costs;
import io.ratelimit.internal.Stages;
import io.ratelimit.internal.call.Amounts;
import io.ratelimit.internal.call.StateId;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one acquisition, in the order of its charges. Locks all of them in the order of their state ids, so
 * that two acquisitions never deadlock. Not thread-safe: used by one call.
 */
final class LockedEntries {

    private static final int MOST_ON_CALLERS_STACK = 1_000;
    private static final long BYTES_OF_FRAME = 1_024;

    private final Entry[] entries;
    private final Integer[] lockOrder;

    private LockedEntries(Entry[] entries, Integer[] lockOrder) {
        this.entries = entries;
        this.lockOrder = lockOrder;
    }

    static LockedEntries of(List<Charge> charges, Function<Charge, Entry> entryOf) {
        Entry[] entries = new Entry[charges.size()];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = entryOf.apply(charges.get(i));
        }
        return new LockedEntries(entries, lockOrder(charges));
    }

    Entry get(int index) {
        return entries[index];
    }

    /** Returns for each charge the cost of those before it that have the same entry. */
    long[] costsAhead(List<Charge> charges) {
        long[] ahead = new long[entries.length];
        for (int i = 1; i < lockOrder.length; i++) { // charges of one entry follow each other, in their own order
            int before = lockOrder[i - 1];
            int index = lockOrder[i];
            if (entries[index] == entries[before]) {
                ahead[index] = Costs.sum(ahead[before], Amounts.of(charges.get(before)));
            }
        }
        return ahead;
    }

    /**
     * Runs the action while all entries are locked. Returns null without running it if one of them has been retired.
     */
    <T> @Nullable T whileLocked(Supplier<T> action) {
        return lockOrder.length <= MOST_ON_CALLERS_STACK
                ? whileLockedFrom(0, action)
                : Stages.await(
                        () -> CompletableFuture.supplyAsync(() -> whileLockedFrom(0, action), this::runOnDeepStack));
    }

    /** The frame that locks an entry stays until it is unlocked. */
    private void runOnDeepStack(Runnable task) {
        new Thread(null, task, "ratelimit-memory", BYTES_OF_FRAME * lockOrder.length, false).start();
    }

    private <T> @Nullable T whileLockedFrom(int index, Supplier<T> action) {
        if (index == lockOrder.length) {
            return action.get();
        }
        Entry entry = entries[lockOrder[index]];
        synchronized (entry) {
            return entry.retired ? null : whileLockedFrom(index + 1, action);
        }
    }

    private static Integer[] lockOrder(List<Charge> charges) {
        Integer[] order = new Integer[charges.size()];
        Arrays.setAll(order, i -> i);
        if (order.length > 1) {
            Arrays.sort(order, Comparator.comparing(i -> StateId.of(charges.get(i))));
        }
        return order;
    }
}
