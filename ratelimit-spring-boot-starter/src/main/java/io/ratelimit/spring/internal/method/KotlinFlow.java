package io.ratelimit.spring.internal.method;

import java.lang.reflect.Method;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Kotlin's {@code Flow}, by name: Kotlin is optional. Only a call of {@link #unbuffered} needs it. */
final class KotlinFlow {

    static final String NAME = "kotlinx.coroutines.flow.Flow";

    private static final Class<?> OVERFLOW = type("kotlinx.coroutines.channels.BufferOverflow");

    /** Looked up once: it is one of hundreds. */
    private static final @Nullable Method BUFFER = ReflectionUtils.findMethod(
            type("kotlinx.coroutines.flow.FlowKt"), "buffer", type(NAME), int.class, OVERFLOW);

    private KotlinFlow() {}

    /** Returns the flow without a buffer, with which its source would run 64 elements ahead of its collector. */
    static Object unbuffered(Object flow) {
        if (BUFFER == null) {
            throw new IllegalStateException(
                    "kotlinx.coroutines.flow.FlowKt has no 'buffer': use kotlinx-coroutines 1.4 or later");
        }
        Object suspend = OVERFLOW.getEnumConstants()[0];
        return Objects.requireNonNull(ReflectionUtils.invokeMethod(BUFFER, null, flow, 0, suspend));
    }

    private static Class<?> type(String name) {
        return ClassUtils.resolveClassName(name, KotlinFlow.class.getClassLoader());
    }
}
