package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.RateLimited;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * An annotation that applies to a method: one of its own, or of a method that it overrides or implements, else one of
 * its class.
 *
 * @param owner the class or interface that the annotation stands on or in, so that a generated class (a proxy, a
 *     lambda) does not give its name to a limit
 * @param method the method as the owner declares it, whose name and parameters all implementations share
 */
record DeclaredLimit(RateLimited annotation, Class<?> owner, Method method) {

    private static final String CONTROLLER = "org.springframework.stereotype.Controller";

    /** Annotations of the methods that a controller's clients call. By name: none of their modules is required. */
    private static final List<String> MAPPINGS = List.of(
            "org.springframework.web.bind.annotation.RequestMapping",
            "org.springframework.web.service.annotation.HttpExchange",
            "org.springframework.messaging.handler.annotation.MessageMapping",
            "org.springframework.messaging.simp.annotation.SubscribeMapping",
            "org.springframework.messaging.rsocket.annotation.ConnectMapping",
            "org.springframework.messaging.rsocket.service.RSocketExchange",
            "org.springframework.graphql.data.method.annotation.SchemaMapping",
            "org.springframework.graphql.data.method.annotation.BatchMapping",
            "org.springframework.graphql.data.federation.EntityMapping");

    /** All that apply to a method of a bean of this class; empty if it is not limited. */
    static List<DeclaredLimit> of(Method method, Class<?> type) {
        if (method.isSynthetic() || ReflectionUtils.isObjectMethod(method)) {
            return List.of();
        }
        List<DeclaredLimit> own = on(method, method, type);
        if (!own.isEmpty() || (Modifier.isStatic(method.getModifiers()) && !isHandler(method, type))) {
            return own;
        }
        List<DeclaredLimit> ofInterface =
                Modifier.isPublic(method.getModifiers()) ? onInterfaces(method, type) : List.of();
        if (!ofInterface.isEmpty()) {
            return ofInterface;
        }
        List<DeclaredLimit> ofClass = on(type, method, type);
        return ofClass.isEmpty() || isLimitedByClass(method, type) ? ofClass : List.of();
    }

    /** Asks the interfaces of the type, too: a class above it that implements the method need not know them, and may be generic. */
    private static List<DeclaredLimit> onInterfaces(Method method, Class<?> type) {
        return Stream.of(ClassUtils.getAllInterfacesForClass(type))
                .flatMap(above -> declared(above, method, type))
                .map(declared -> on(declared, declared, type))
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse(List.of());
    }

    /** Returns what the method of the type is in a class or interface above it, whose parameters may be generic; its own first. */
    private static Stream<Method> declared(Class<?> above, Method method, Class<?> type) {
        return Stream.of(above.getMethods())
                .filter(declared -> declared.getName().equals(method.getName())
                        && declared.getParameterCount() == method.getParameterCount()
                        && !declared.isBridge()
                        && AopUtils.getMostSpecificMethod(declared, type).equals(method))
                .sorted(Comparator.comparing(declared -> declared.getDeclaringClass() != above));
    }

    /** Returns the nearest of all that are found on the element and on what it overrides or extends. */
    private static List<DeclaredLimit> on(AnnotatedElement element, Method method, Class<?> type) {
        List<MergedAnnotation<RateLimited>> all = Stream.concat(Stream.of(element), bridges(element))
                .flatMap(DeclaredLimit::search)
                .filter(annotation -> !isBridge(annotation.getSource()))
                .toList();
        List<MergedAnnotation<RateLimited>> found = all.stream()
                .filter(annotation -> all.stream().noneMatch(other -> isCopy(annotation, other)))
                .toList();
        int nearest = found.stream()
                .mapToInt(MergedAnnotation::getAggregateIndex)
                .min()
                .orElse(0);
        return found.stream()
                .filter(annotation -> annotation.getAggregateIndex() == nearest)
                .map(annotation -> of(annotation, method, type))
                .toList();
    }

    private static Stream<MergedAnnotation<RateLimited>> search(AnnotatedElement element) {
        return MergedAnnotations.from(
                element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
                .stream(RateLimited.class);
    }

    /** Kotlin's {@code Int} is {@code int} to the JVM, which then overrides no method of a generic type, as the bridge to it does. */
    private static Stream<Method> bridges(AnnotatedElement element) {
        return element instanceof Method method
                        && Stream.of(method.getParameterTypes()).anyMatch(Class::isPrimitive)
                        && KotlinDetector.isKotlinType(method.getDeclaringClass())
                ? Stream.of(method.getDeclaringClass().getDeclaredMethods())
                        .filter(Method::isBridge)
                        .filter(bridge ->
                                BridgeMethodResolver.findBridgedMethod(bridge).equals(method))
                : Stream.empty();
    }

    /** True if no method of the class stands behind the bridge under its own name, and it is to be limited. */
    static boolean isLostBridge(Method method) {
        return method.isBridge()
                && KotlinDetector.isKotlinType(method.getDeclaringClass())
                && BridgeMethodResolver.findBridgedMethod(method).isBridge()
                && search(method).findAny().isPresent();
    }

    /** The compiler copies annotations to the bridge of a method that narrows its return type. */
    private static boolean isBridge(@Nullable Object source) {
        return source instanceof Method method && method.isBridge();
    }

    /**
     * Kotlin copies the annotation of an interface's method into a class that delegates to another one by {@code by}, and often
     * into one that inherits a default method.
     */
    private static boolean isCopy(MergedAnnotation<RateLimited> one, MergedAnnotation<RateLimited> other) {
        return one.getSource() instanceof Method copy
                && other.getSource() instanceof Method copied
                && !copy.getDeclaringClass().isInterface()
                && copied.getDeclaringClass().isInterface()
                && KotlinDetector.isKotlinType(copy.getDeclaringClass())
                && one.synthesize().equals(other.synthesize());
    }

    private static DeclaredLimit of(MergedAnnotation<RateLimited> annotation, Method method, Class<?> type) {
        RateLimited limit = annotation.synthesize();
        if (annotation.getSource() instanceof Method annotated) {
            return new DeclaredLimit(limit, annotated.getDeclaringClass(), annotated);
        }
        DeclaredLimit found = new DeclaredLimit(limit, method.getDeclaringClass(), method);
        return annotation.getSource() instanceof Class<?> annotated
                ? declared(annotated, method, type)
                        .findFirst()
                        .map(declared -> new DeclaredLimit(limit, annotated, declared))
                        .orElse(new DeclaredLimit(limit, annotated, method)) // not public
                : found;
    }

    /** True if the annotation stands on the method, and not on a class. */
    boolean isOfMethod() {
        return MergedAnnotations.from(method).isPresent(RateLimited.class);
    }

    /** Spring calls methods that make beans, once, and on the proxy. */
    private static boolean isLimitedByClass(Method method, Class<?> type) {
        return isPresent(CONTROLLER, type)
                ? isHandler(method, type)
                : Modifier.isPublic(method.getModifiers()) && !isPresent(Bean.class.getName(), method);
    }

    /** True for what a controller maps: requests reach it also if it is static, private or inherited. */
    static boolean isHandler(Method method, Class<?> type) {
        return isPresent(CONTROLLER, type) && MAPPINGS.stream().anyMatch(mapping -> isPresent(mapping, method));
    }

    private static boolean isPresent(String annotation, AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(annotation);
    }
}
