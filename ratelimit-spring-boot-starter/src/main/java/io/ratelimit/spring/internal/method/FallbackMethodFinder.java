package io.ratelimit.spring.internal.method;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.rule.Expressions;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds and calls what an annotation names as {@code fallbackMethod}. */
final class FallbackMethodFinder {

    private FallbackMethodFinder() {}

    static Method find(String name, Method method, Class<?> type, String where) {
        Class<?>[] parameters = method.getParameterTypes();
        Method fallback = find(type, name, method, parameters);
        if (fallback == null) {
            fallback = find(type, name, method, resolved(method, type));
        }
        if (fallback == null || !ClassUtils.isAssignable(returned(method), returned(fallback))) {
            throw new InvalidRateLimitException(
                    MessageCode.FALLBACK_METHOD_INVALID,
                    where,
                    ("fallbackMethod '%s' is not there: it needs the parameters of '%s', optionally a last"
                                    + " RateLimitExceededException, and to return %s")
                            .formatted(name, method.getName(), returned(method).getSimpleName()));
        }
        if (name.equals(method.getName()) && fallback.getParameterCount() == parameters.length) {
            throw new InvalidRateLimitException(
                    MessageCode.FALLBACK_METHOD_INVALID,
                    where,
                    ("fallbackMethod '%s' is the method itself, so that refused calls would run all the same: name another"
                                    + " one, or one that is not public where the annotation is that of the class")
                            .formatted(name));
        }
        ReflectionUtils.makeAccessible(fallback);
        return fallback;
    }

    /** Returns the types of the parameters of a method that a generic superclass implements, as the class has them. */
    private static Class<?>[] resolved(Method method, Class<?> type) {
        return IntStream.range(0, method.getParameterCount())
                .mapToObj(
                        i -> ResolvableType.forMethodParameter(method, i, type).toClass())
                .toArray(Class<?>[]::new);
    }

    private static @Nullable Method find(Class<?> type, String name, Method method, Class<?>[] parameters) {
        List<Class<?>> withRefusal = new ArrayList<>(Arrays.asList(parameters));
        withRefusal.add(Expressions.argumentCount(method), RateLimitExceededException.class);
        Method found = find(type, name, withRefusal.toArray(Class<?>[]::new));
        return found != null ? found : find(type, name, parameters);
    }

    /** Returns the method that overrides a generic one where that is found, to which Kotlin cannot suspend by the bridge. */
    private static @Nullable Method find(Class<?> type, String name, Class<?>... parameters) {
        Method found = ReflectionUtils.findMethod(type, name, parameters);
        return found == null || !found.isBridge()
                ? found
                : Stream.of(found.getDeclaringClass().getDeclaredMethods())
                        .filter(method -> !method.isBridge() && method.getName().equals(name))
                        .filter(method -> isAssignable(method.getParameterTypes(), parameters))
                        .findFirst()
                        .orElse(found);
    }

    private static boolean isAssignable(Class<?>[] types, Class<?>[] generic) {
        return types.length == generic.length
                && IntStream.range(0, types.length).allMatch(i -> ClassUtils.isAssignable(generic[i], types[i]));
    }

    /** Returns the type as it is written: that of a {@code suspend} function is Object to the JVM. */
    private static Class<?> returned(Method method) {
        return new MethodParameter(method, -1).getParameterType();
    }

    /** Throws what the fallback throws; a {@code suspend} function returns a publisher, as the method does. */
    static @Nullable Object call(
            Method fallback, @Nullable Object target, Method method, @Nullable Object[] arguments, Object refusal)
            throws Throwable {
        List<@Nullable Object> all = new ArrayList<>(Arrays.asList(arguments));
        if (fallback.getParameterCount() > arguments.length) {
            all.add(Expressions.argumentCount(method), refusal);
        }
        return AopUtils.invokeJoinpointUsingReflection(target, fallback, all.toArray());
    }
}
