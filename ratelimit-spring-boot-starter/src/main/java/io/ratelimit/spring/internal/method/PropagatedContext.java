package io.ratelimit.spring.internal.method;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A class of its own, because Micrometer's context propagation is optional. A snapshot of it would be one part that fails. */
final class PropagatedContext {

    private PropagatedContext() {}

    /** Adds what each accessor holds. {@code attempt} does without one that fails. */
    static void captureInto(List<ContextPart<?>> parts, Consumer<Runnable> attempt) {
        for (ThreadLocalAccessor<?> accessor : ContextRegistry.getInstance().getThreadLocalAccessors()) {
            attempt.accept(() -> parts.add(capture(accessor)));
        }
    }

    private static <V> ContextPart<V> capture(ThreadLocalAccessor<V> accessor) {
        return ContextPart.capture(
                accessor::getValue, value -> set(accessor, value), (before, then) -> restore(accessor, before));
    }

    private static <V> void set(ThreadLocalAccessor<V> accessor, @Nullable V value) {
        if (value == null) {
            accessor.setValue();
        } else {
            accessor.setValue(value);
        }
    }

    private static <V> void restore(ThreadLocalAccessor<V> accessor, @Nullable V before) {
        if (before == null) {
            accessor.restore();
        } else {
            accessor.restore(before);
        }
    }
}
