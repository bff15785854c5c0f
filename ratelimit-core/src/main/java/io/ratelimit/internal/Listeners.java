package io.ratelimit.internal;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Calls listeners, none of which can fail the call that it listens to. Thread-safe. */
public final class Listeners<T> {

    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

    private final List<T> listeners;
    private final AtomicBoolean warned = new AtomicBoolean();

    public Listeners(List<T> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    public boolean isEmpty() {
        return listeners.isEmpty();
    }

    /** Passes an event to each listener. Logs the first failure at WARN and further ones at DEBUG. */
    public void each(Consumer<T> event) {
        for (int i = 0; i < listeners.size(); i++) {
            T listener = listeners.get(i);
            try {
                event.accept(listener);
            } catch (RuntimeException failed) {
                // without the message, which may quote a subject
                LOG.atLevel(warned.getAndSet(true) ? Level.DEBUG : Level.WARN)
                        .log(
                                "Listener {} failed with {}; the call is not affected",
                                listener.getClass().getName(),
                                failed.getClass().getName());
            }
        }
    }
}
