package io.ratelimit.spring.aop;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.InvalidRateLimitException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** Finds and calls what an annotation names as {@code fallbackMethod}. */
final class FallbackMethodFinder {

    private FallbackMethodFinder() {}

    static Method find(String name, Method method, Class<?> type, String where) {
        Class<?>[] parameters = method.getParameterTypes();
        Class<?>[] withRefusal = Arrays.copyOf(parameters, parameters.length + 1);
        withRefusal[parameters.length] = RateLimitExceededException.class;
        Method fallback = ReflectionUtils.findMethod(type, name, withRefusal);
        if (fallback == null) {
            fallback = ReflectionUtils.findMethod(type, name, parameters);
        }
        if (fallback == null || !method.getReturnType().isAssignableFrom(fallback.getReturnType())) {
            throw new InvalidRateLimitException(
                    where,
                    ("fallbackMethod '%s' is not there: it needs the parameters of '%s', if it likes a last"
                                    + " RateLimitExceededException, and to return %s")
                            .formatted(
                                    name,
                                    method.getName(),
                                    method.getReturnType().getSimpleName()));
        }
        ReflectionUtils.makeAccessible(fallback);
        return fallback;
    }

    static @Nullable Object call(
            Method fallback,
            @Nullable Object target,
            @Nullable Object[] arguments,
            RateLimitExceededException refusal) {
        @Nullable Object[] all = arguments;
        if (fallback.getParameterCount() > arguments.length) {
            all = Arrays.copyOf(arguments, arguments.length + 1);
            all[arguments.length] = refusal;
        }
        return ReflectionUtils.invokeMethod(fallback, target, all);
    }
}
