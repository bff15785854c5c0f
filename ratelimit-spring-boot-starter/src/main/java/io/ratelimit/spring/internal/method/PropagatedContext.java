package io.ratelimit.spring.internal.method;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A class of its own, because Micrometer's context propagation is optional. A snapshot of it would be one part that fails. */
final class PropagatedContext {

    private PropagatedContext() {}

    /** Adds what each accessor holds. {@code attempt} does without one that fails. */
    static void captureInto(List<Supplier<Runnable>> parts, Consumer<Runnable> attempt) {
        for (ThreadLocalAccessor<?> accessor : ContextRegistry.getInstance().getThreadLocalAccessors()) {
            attempt.accept(() -> parts.add(capture(accessor)));
        }
    }

    private static <V> Supplier<Runnable> capture(ThreadLocalAccessor<V> accessor) {
        V value = accessor.getValue();
        return () -> {
            V before = accessor.getValue();
            if (value == null) {
                accessor.setValue();
            } else {
                accessor.setValue(value);
            }
            return () -> restore(accessor, before);
        };
    }

    private static <V> void restore(ThreadLocalAccessor<V> accessor, @Nullable V before) {
        if (before == null) {
            accessor.restore();
        } else {
            accessor.restore(before);
        }
    }
}
