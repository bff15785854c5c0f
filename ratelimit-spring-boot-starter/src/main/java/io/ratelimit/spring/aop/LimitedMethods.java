package io.ratelimit.spring.aop;

import io.ratelimit.spring.RateLimited;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Finds the annotations that hold for a method: its own, else those of its class. Reads each method once, when its bean
 * is made, so that what cannot work stops the start. Thread-safe.
 */
public final class LimitedMethods {

    private final Supplier<AnnotationReader> reader;
    private final Map<MethodClassKey, Optional<LimitedMethod>> methods = new ConcurrentHashMap<>();

    public LimitedMethods(Supplier<AnnotationReader> reader) {
        this.reader = reader;
    }

    Optional<LimitedMethod> find(Method method, Class<?> type) {
        MethodClassKey key = new MethodClassKey(method, type);
        Optional<LimitedMethod> known = methods.get(key);
        if (known == null) {
            known = read(method, type); // may make a bean, whose methods come here too: not within the map's lock
            methods.put(key, known);
        }
        return known;
    }

    private Optional<LimitedMethod> read(Method method, Class<?> type) {
        Method specific = AopUtils.getMostSpecificMethod(method, type);
        Collection<RateLimited> annotations = on(specific);
        if (annotations.isEmpty() && isLimitedByClass(specific)) {
            annotations = on(type);
        }
        return annotations.isEmpty()
                ? Optional.empty()
                : Optional.of(reader.get().read(List.copyOf(annotations), specific, type));
    }

    private static Collection<RateLimited> on(AnnotatedElement element) {
        return AnnotatedElementUtils.findMergedRepeatableAnnotations(element, RateLimited.class, RateLimited.All.class);
    }

    private static boolean isLimitedByClass(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && !method.isSynthetic()
                && method.getDeclaringClass() != Object.class;
    }
}
