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
    private @Nullable Ending closed;

    /** True if something is settled when it is closed. */
    public synchronized boolean isSettledLater() {
        return !settlements.isEmpty();
    }

    /** Runs the settlement once: when the call is closed, or at once if it is already. */
    void settleAtEnd(Consumer<Ending> settlement) {
        Ending before = addUnlessClosed(settlement);
        if (before != null) {
            settlement.accept(before);
        }
    }

    /** Settles what was decided, and at once what is decided later: a decision may come after its caller has left. */
    public void close(Ending ending) {
        closed(ending).forEach(settlement -> settlement.accept(ending));
    }

    private synchronized @Nullable Ending addUnlessClosed(Consumer<Ending> settlement) {
        if (closed == null) {
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
