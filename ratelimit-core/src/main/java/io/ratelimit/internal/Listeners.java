package io.ratelimit.internal;

import io.ratelimit.MessageCode;
import java.util.List;
import java.util.function.Consumer;

/**
 * Calls listeners. Whatever a listener throws, even an error about a missing class or a failed assertion, does not fail
 * the call that it listens to. Only a failure of the JVM itself, such as too little memory, is passed on. Thread-safe.
 */
public final class Listeners<T> {

    private final List<T> listeners;
    private final Warning warning = new Warning(MessageCode.LISTENER_FAILED);

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
            } catch (VirtualMachineError fatal) {
                throw fatal;
            } catch (Throwable failed) { // Kotlin and Groovy throw checked exceptions, too
                // without the message, which may quote a subject
                warning.logOnce(
                        "Listener {} failed with {}; the call is not affected",
                        listener.getClass().getName(),
                        failed.getClass().getName());
            }
        }
    }
}
