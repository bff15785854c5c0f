package io.ratelimit.spring.internal.rule;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call that has not ended. What decides on a call makes one, gives it to the decision, and closes it with how the call
 * ended: a filter with the response, an annotated method with its result. Made before the decision, because a caller may
 * leave while that is on its way. Thread-safe.
 */
public final class OpenCall {

    private final List<Settlement> settlements = new ArrayList<>(0);
    private @Nullable Ending closed;

    /** True if something is settled when it is closed. */
    public synchronized boolean isSettledLater() {
        return !settlements.isEmpty();
    }

    /** Settles when the call is closed, or at once if it is already. */
    void settleAtEnd(Settlement settlement) {
        Ending before = addUnlessClosed(settlement);
        if (before != null) {
            settlement.settle(before);
        }
    }

    /** Settles what was decided, and at once what is decided later: a decision may come after its caller has left. */
    public void close(Ending ending) {
        closed(ending).forEach(settlement -> settlement.settle(ending));
    }

    /**
     * Closes the call of a response of which only the last byte is missing. If a charge depends on what the application may
     * say even later, settles the others, and leaves the call open.
     */
    public void closeWithResponse(Ending ending) {
        boolean all = true;
        for (Settlement settlement : open()) {
            all &= settlement.settleKnown(ending);
        }
        if (all) {
            close(ending);
        }
    }

    /** Gives the slots back, and leaves all else open. */
    void freeSlots() {
        open().forEach(Settlement::freeSlots);
    }

    private synchronized List<Settlement> open() {
        return List.copyOf(settlements);
    }

    private synchronized @Nullable Ending addUnlessClosed(Settlement settlement) {
        if (closed == null) {
            settlements.add(settlement);
        }
        return closed;
    }

    private synchronized List<Settlement> closed(Ending ending) {
        closed = ending;
        List<Settlement> open = List.copyOf(settlements);
        settlements.clear();
        return open;
    }
}
