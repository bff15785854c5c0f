package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RateLimited;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds annotated methods that a proxy cannot override, and that would therefore not be limited. */
final class UnproxyableMethods {

    private UnproxyableMethods() {}

    /**
     * Looks at all methods of a bean's class.
     *
     * @param byClass whether a proxy is a subclass, where it could also implement interfaces
     * @throws InvalidRateLimitException if one of them is annotated and cannot be overridden, or the class is and means none of them
     */
    static void check(Class<?> type, Supplier<Boolean> byClass) {
        if (type.isInterface() || Proxy.isProxyClass(type) || type.isHidden() || ClassUtils.isLambdaClass(type)) {
            return;
        }
        ReflectionUtils.doWithMethods(type, method -> {
            if (isOfContainer(method)) {
                throw new InvalidRateLimitException(
                        MessageCode.METHOD_NOT_PROXIED,
                        new AnnotatedMethod(method, type, 0).where(),
                        "a '@Bean' method is called by Spring alone and would never be limited: annotate the class of its bean, or"
                                + " methods of that");
            }
            if (DeclaredLimit.isLostBridge(method)) {
                throw new InvalidRateLimitException(
                        MessageCode.METHOD_NOT_PROXIED,
                        new AnnotatedMethod(method, type, 0).where(),
                        "the annotated method is generic, and Kotlin gives this one, of a value class or a primitive, another name or"
                                + " signature, by which it would never be limited: annotate a method without type parameters");
            }
            String kind = kind(method, type);
            if (!kind.isEmpty()
                    && (method.isSynthetic() || (isAnnotated(method, type) && isOutOfReach(method, type, byClass)))) {
                throw outOfReach(kind, method, type);
            }
        });
        Stream.of(ClassUtils.getAllInterfacesForClass(type))
                .flatMap(above -> Stream.of(above.getDeclaredMethods()))
                .filter(method -> Modifier.isStatic(method.getModifiers()) || Modifier.isPrivate(method.getModifiers()))
                .filter(method -> MergedAnnotations.from(method).isPresent(RateLimited.class))
                .findFirst()
                .ifPresent(method -> {
                    throw outOfReach(kind(method, type), method, method.getDeclaringClass());
                });
        if (MergedAnnotations.from(type).isPresent(RateLimited.class) && areNoneLimited(type, byClass)) {
            throw new InvalidRateLimitException(
                    MessageCode.METHOD_NOT_PROXIED,
                    "@RateLimited on " + type.getName(),
                    "it limits no method: make public what it is to limit, or annotate methods; of a controller it means those to"
                            + " which annotations map requests");
        }
    }

    private static InvalidRateLimitException outOfReach(String kind, Method method, Class<?> type) {
        return new InvalidRateLimitException(
                MessageCode.METHOD_NOT_PROXIED,
                new AnnotatedMethod(method, type, 0).where(),
                "%s is out of reach of Spring's proxies and would never be limited: make it one that a subclass can override"
                        .formatted(kind));
    }

    private static boolean areNoneLimited(Class<?> type, Supplier<Boolean> byClass) {
        return Stream.of(ReflectionUtils.getAllDeclaredMethods(type))
                .noneMatch(method -> isAnnotated(method, type)
                        || (!DeclaredLimit.of(method, type).isEmpty()
                                && (kind(method, type).isEmpty() || !isOutOfReach(method, type, byClass))));
    }

    /** A class that is annotated as a whole may make beans, too. */
    private static boolean isOfContainer(Method method) {
        MergedAnnotations annotations = MergedAnnotations.from(method);
        return annotations.isPresent(Bean.class) && annotations.isPresent(RateLimited.class);
    }

    /** Kotlin's callers of a reified function have its body instead of a call. */
    private static boolean isInlined(Method method) {
        return method.isSynthetic()
                && Modifier.isFinal(method.getModifiers())
                && MergedAnnotations.from(method).isPresent(RateLimited.class);
    }

    /** Returns what keeps proxies from the method; empty if nothing does. A synthetic one matters only if it is annotated. */
    private static String kind(Method method, Class<?> type) {
        if (method.isSynthetic()) {
            return isInlined(method) ? "an inlined function" : "";
        }
        for (String modifier : List.of("static", "private", "final")) {
            if (Modifier.toString(method.getModifiers()).contains(modifier)) {
                return "a '%s' method".formatted(modifier);
            }
        }
        if (Modifier.isFinal(type.getModifiers()) || type.isSealed()) {
            return "a method of a '%s' class".formatted(type.isSealed() ? "sealed" : "final");
        }
        if (isOfAnotherPackage(method, type)) {
            return "a package-private method of another package";
        }
        return isAnnotated(method, type) && isMadeByItselfAlone(type)
                ? "a method of a class whose constructors are 'private'"
                : "";
    }

    /** Packages of two class loaders differ, whatever their names. A class of the method's own package may have overridden it. */
    private static boolean isOfAnotherPackage(Method method, Class<?> type) {
        return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
                && !method.getDeclaringClass().getPackage().equals(type.getPackage())
                && method.equals(ReflectionUtils.findMethod(type, method.getName(), method.getParameterTypes()));
    }

    private static boolean isMadeByItselfAlone(Class<?> type) {
        return Stream.of(type.getDeclaredConstructors()).allMatch(made -> Modifier.isPrivate(made.getModifiers()));
    }

    /** Spares inherited final methods, as libraries have them: the annotation of a class below means them only if requests reach them. */
    private static boolean isAnnotated(Method method, Class<?> type) {
        return DeclaredLimit.of(method, type).stream()
                .anyMatch(limit -> limit.isOfMethod()
                        || limit.owner().isAssignableFrom(method.getDeclaringClass())
                        || DeclaredLimit.isHandler(method, type));
    }

    /** Proxies that implement interfaces reach final methods, too. */
    private static boolean isOutOfReach(Method method, Class<?> type, Supplier<Boolean> byClass) {
        return Modifier.isStatic(method.getModifiers())
                || Modifier.isPrivate(method.getModifiers())
                || ClassUtils.getAllInterfacesForClass(type).length == 0
                || byClass.get();
    }
}
