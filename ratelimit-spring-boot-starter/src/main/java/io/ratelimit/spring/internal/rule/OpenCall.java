package io.ratelimit.spring.internal.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call that has not ended. What decides on a call makes one, gives it to the decision, and closes it with how the call
 * ended: a filter with the response, an annotated method with its result. Made before the decision, because a caller may
 * leave while that is on its way. Thread-safe.
 */
public final class OpenCall {

    private final List<Consumer<Ending>> settlements = new ArrayList<>(0);
    private boolean knownLate;
    private @Nullable Ending closed;

    /** True if something is settled when it is closed. */
    public synchronized boolean isSettledLater() {
        return !settlements.isEmpty();
    }

    /**
     * Runs the settlement once: when the call is closed, or at once if it is already.
     *
     * @param late whether it needs what the application may say only after the last byte of a response
     */
    void settleAtEnd(Consumer<Ending> settlement, boolean late) {
        Ending before = addUnlessClosed(settlement, late);
        if (before != null) {
            settlement.accept(before);
        }
    }

    /** Settles what was decided, and at once what is decided later: a decision may come after its caller has left. */
    public void close(Ending ending) {
        closed(ending).forEach(settlement -> settlement.accept(ending));
    }

    /** Closes the call of a response of which only the last byte is missing, unless a settlement needs its end. */
    public void closeWithResponse(Ending ending) {
        if (!isKnownLate()) {
            close(ending);
        }
    }

    private synchronized boolean isKnownLate() {
        return knownLate;
    }

    private synchronized @Nullable Ending addUnlessClosed(Consumer<Ending> settlement, boolean late) {
        if (closed == null) {
            knownLate |= late;
            settlements.add(settlement);
        }
        return closed;
    }

    private synchronized List<Consumer<Ending>> closed(Ending ending) {
        closed = ending;
        List<Consumer<Ending>> open = List.copyOf(settlements);
        settlements.clear();
        return open;
    }
}
