package io.ratelimit.spring.aop;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.RateLimited;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Annotated methods that a proxy cannot override, so that nothing would limit them. */
final class UnproxyableMethods {

    private UnproxyableMethods() {}

    /**
     * Looks at all methods of a bean's class.
     *
     * @throws InvalidRateLimitException if one of them is annotated in vain
     */
    static void check(Class<?> type) {
        ReflectionUtils.doWithMethods(type, method -> {
            String modifier = modifier(method, type);
            if (!modifier.isEmpty() && MergedAnnotations.from(method).isPresent(RateLimited.class)) {
                throw new InvalidRateLimitException(
                        new AnnotatedMethod(method, type, 0).where(),
                        "a '%s' method is out of reach of Spring's proxies and would never be limited: make it one that a subclass can override"
                                .formatted(modifier));
            }
        });
    }

    private static String modifier(Method method, Class<?> type) {
        if (Modifier.isStatic(method.getModifiers())) {
            return "static";
        }
        if (Modifier.isPrivate(method.getModifiers())) {
            return "private";
        }
        boolean isFinal = Modifier.isFinal(method.getModifiers());
        return isFinal && ClassUtils.getInterfaceMethodIfPossible(method, type).equals(method) ? "final" : "";
    }
}
