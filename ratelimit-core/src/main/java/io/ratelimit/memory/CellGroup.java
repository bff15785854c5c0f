package io.ratelimit.memory;

import io.ratelimit.Charge;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one acquisition, in the order of its charges, and how to hold all their locks at once: always in the
 * order of limit and subject, so that two groups never wait for each other.
 */
final class CellGroup {

    private static final Comparator<Charge> LOCK_ORDER = Comparator.comparing(
                    (Charge charge) -> charge.limit().name())
            .thenComparing(charge -> charge.limit().algorithm())
            .thenComparing(Charge::subject);

    private final Cell[] cells;
    private final Cell[] lockOrder;

    private CellGroup(Cell[] cells, Cell[] lockOrder) {
        this.cells = cells;
        this.lockOrder = lockOrder;
    }

    static CellGroup of(List<Charge> charges, Function<Charge, Cell> cellOf) {
        Cell[] cells = new Cell[charges.size()];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = cellOf.apply(charges.get(i));
        }
        return new CellGroup(cells, cells.length == 1 ? cells : inLockOrder(charges, cells));
    }

    Cell get(int index) {
        return cells[index];
    }

    /** Runs with all the cells locked; answers null, without running, if one of them was retired meanwhile. */
    <T> @Nullable T whileLocked(Supplier<T> action) {
        return whileLockedFrom(0, action);
    }

    private <T> @Nullable T whileLockedFrom(int index, Supplier<T> action) {
        if (index == lockOrder.length) {
            return action.get();
        }
        Cell cell = lockOrder[index];
        synchronized (cell) {
            return cell.retired ? null : whileLockedFrom(index + 1, action);
        }
    }

    private static Cell[] inLockOrder(List<Charge> charges, Cell[] cells) {
        Integer[] order = new Integer[cells.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparing(charges::get, LOCK_ORDER));
        return Arrays.stream(order).map(i -> cells[i]).toArray(Cell[]::new);
    }
}
