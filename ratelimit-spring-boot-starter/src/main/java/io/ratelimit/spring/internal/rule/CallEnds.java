package io.ratelimit.spring.internal.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done when a request or a call of a method ends, such as to free its slot. Each is done once. Filters end
 * it with the response, annotated methods with their result. Thread-safe.
 */
public final class CallEnds {

    private final List<Consumer<Ending>> open = new ArrayList<>(0);
    private @Nullable Ending closed;

    /** How many have not ended yet. */
    public synchronized int open() {
        return open.size();
    }

    void add(Consumer<Ending> end) {
        Ending before = addUnlessClosed(end);
        if (before != null) {
            end.accept(before);
        }
    }

    /** Ends all but the first {@code kept}. */
    public void end(int kept, Ending ending) {
        removed(kept).forEach(end -> end.accept(ending));
    }

    /** Ends all, and at once what is added later: a decision may come after its caller has left. */
    public void close(Ending ending) {
        synchronized (this) {
            closed = ending;
        }
        end(0, ending);
    }

    private synchronized @Nullable Ending addUnlessClosed(Consumer<Ending> end) {
        if (closed == null) {
            open.add(end);
        }
        return closed;
    }

    private synchronized List<Consumer<Ending>> removed(int kept) {
        List<Consumer<Ending>> last = open.subList(Math.min(kept, open.size()), open.size());
        List<Consumer<Ending>> removed = List.copyOf(last);
        last.clear();
        return removed;
    }
}
