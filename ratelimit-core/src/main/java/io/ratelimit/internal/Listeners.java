package io.ratelimit.internal;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Calls listeners. Whatever a listener throws, even an error about a missing class or a failed assertion, does not fail
 * the call that it listens to. Only a failure of the JVM itself, such as too little memory, is passed on, and not that of a listener
 * that makes the calls that it listens to without end. Thread-safe.
 */
public final class Listeners<T> {

    /** The code of the warning names its logger, so that it can be silenced alone. */
    private static final Logger WARNING = LoggerFactory.getLogger("io.ratelimit.RL-651");

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
            safely(listeners.get(i), event);
        }
    }

    /** Passes an event to one that listens. */
    public <L> void safely(L listener, Consumer<L> event) {
        try {
            event.accept(listener);
        } catch (Throwable failed) { // Kotlin and Groovy throw checked exceptions, too
            if (failed instanceof VirtualMachineError fatal && !(failed instanceof StackOverflowError)) {
                throw fatal;
            }
            // without the message, which may quote a subject
            WARNING.atLevel(warned.getAndSet(true) ? Level.DEBUG : Level.WARN)
                    .log(
                            "RL-651: Listener {} failed with {}; the call is not affected",
                            listener.getClass().getName(),
                            failed.getClass().getName());
        }
    }
}
