package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.RateLimited;
import java.lang.reflect.AnnotatedElement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.ClassFilter;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the classes that may have limited methods: those where the annotation stands somewhere on them, on a class or
 * interface above them, or on a method of these. Looks at each class once, however many beans extend it, which is much
 * cheaper than a search over the hierarchy of each method of each bean. Thread-safe.
 */
final class CandidateClasses implements ClassFilter {

    private final Map<Class<?>, Boolean> declaring = new ConcurrentHashMap<>();

    @Override
    public boolean matches(Class<?> type) {
        if (isDeclaring(type)) {
            return true;
        }
        for (Class<?> above : type.getInterfaces()) {
            if (matches(above)) {
                return true;
            }
        }
        Class<?> parent = type.getSuperclass();
        return parent != null && parent != Object.class && matches(parent);
    }

    private boolean isDeclaring(Class<?> type) {
        Boolean known = declaring.get(type);
        if (known == null) {
            known = isAnnotated(type) || anyMethodIsAnnotated(type);
            declaring.put(type, known);
        }
        return known;
    }

    private static boolean anyMethodIsAnnotated(Class<?> type) {
        for (AnnotatedElement method : ReflectionUtils.getDeclaredMethods(type)) {
            if (isAnnotated(method)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAnnotated(AnnotatedElement element) {
        return MergedAnnotations.from(element).isPresent(RateLimited.class);
    }
}
