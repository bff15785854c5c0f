package io.ratelimit.spring.internal.method;

import java.lang.reflect.Method;
import java.util.Objects;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Kotlin's {@code Flow}, by name: Kotlin is optional. */
final class KotlinFlow {

    static final String NAME = "kotlinx.coroutines.flow.Flow";

    private KotlinFlow() {}

    /** Returns the flow without a buffer, with which its source would run 64 elements ahead of its collector. */
    static Object unbuffered(Object flow) {
        Class<?> overflow = type("kotlinx.coroutines.channels.BufferOverflow");
        Method buffer = ReflectionUtils.findMethod(
                type("kotlinx.coroutines.flow.FlowKt"), "buffer", type(NAME), int.class, overflow);
        if (buffer == null) {
            throw new IllegalStateException(
                    "kotlinx.coroutines.flow.FlowKt has no 'buffer': use kotlinx-coroutines 1.4 or later");
        }
        Object suspend = overflow.getEnumConstants()[0];
        return Objects.requireNonNull(ReflectionUtils.invokeMethod(buffer, null, flow, 0, suspend));
    }

    private static Class<?> type(String name) {
        return ClassUtils.resolveClassName(name, KotlinFlow.class.getClassLoader());
    }
}
