package io.ratelimit.spring.aop;

import io.ratelimit.spring.RateLimited;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/**
 * Finds the annotations that hold for a method: its own, else those of its class. Reads each method once, when its bean
 * is made, so that what cannot work stops the start. Thread-safe.
 */
public final class LimitedMethodRegistry {

    private final Supplier<AnnotationReader> reader;
    private final Map<MethodClassKey, Optional<LimitedMethod>> methods = new ConcurrentHashMap<>();
    private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

    public LimitedMethodRegistry(Supplier<AnnotationReader> reader) {
        this.reader = reader;
    }

    Optional<LimitedMethod> find(Method method, Class<?> type) {
        MethodClassKey key = new MethodClassKey(method, type);
        Optional<LimitedMethod> known = methods.get(key);
        if (known == null) {
            if (checked.add(type)) {
                UnproxyableMethods.check(type);
            }
            known = read(method, type); // may make a bean, whose methods come here too: not within the map's lock
            methods.put(key, known);
        }
        return known;
    }

    private Optional<LimitedMethod> read(Method method, Class<?> type) {
        Method specific = AopUtils.getMostSpecificMethod(method, type);
        List<RateLimited> annotations = on(specific);
        if (annotations.isEmpty() && isLimitedByClass(specific)) {
            annotations = on(type);
        }
        return annotations.isEmpty()
                ? Optional.empty()
                : Optional.of(reader.get().read(annotations, specific, type));
    }

    /** Of all that stand above one another, on a method or class and on what it overrides, those that stand nearest. */
    private static List<RateLimited> on(AnnotatedElement element) {
        List<MergedAnnotation<RateLimited>> found =
                MergedAnnotations.from(
                                element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
                        .stream(RateLimited.class)
                        .toList();
        int nearest = found.stream()
                .mapToInt(MergedAnnotation::getAggregateIndex)
                .min()
                .orElse(0);
        return found.stream()
                .filter(annotation -> annotation.getAggregateIndex() == nearest)
                .map(MergedAnnotation::synthesize)
                .distinct()
                .toList();
    }

    private static boolean isLimitedByClass(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && !method.isSynthetic()
                && method.getDeclaringClass() != Object.class;
    }
}
