package io.ratelimit.spring.internal.method;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.util.ReflectionUtils;

/**
 * The place of an annotation.
 *
 * @param type the class or interface that names the limit: the one that holds the annotation
 * @param index counts the annotations of a method from 0
 */
record AnnotatedMethod(Method method, Class<?> type, int index) {

    private static final int MOST_CHARACTERS = 200;
    private static final int KEPT_CHARACTERS = 180;

    String where() {
        return "@RateLimited on " + limitName();
    }

    /** Class and method, with parameters for overloads and a number for repeated annotations. */
    String limitName() {
        return shortened(named(type.getName()));
    }

    /** The same with the class's simple name, for clients, which need not know packages. */
    String publicName() {
        return shortened(named(type.getSimpleName()));
    }

    private String named(String owner) {
        Method[] overloads = ReflectionUtils.getUniqueDeclaredMethods(
                type, other -> other.getName().equals(method.getName()) && !other.isSynthetic());
        String parameters = overloads.length > 1 ? parameters(overloads) : "";
        return owner + "." + method.getName() + parameters + (index == 0 ? "" : "#" + (index + 1));
    }

    /** Shortens what is too long for the name of a limit to its end and a hash of all of it. */
    private static String shortened(String name) {
        return name.length() <= MOST_CHARACTERS
                ? name
                : Integer.toHexString(name.hashCode()) + '~' + name.substring(name.length() - KEPT_CHARACTERS);
    }

    private String parameters(Method[] overloads) {
        String simple = parameters(method, Class::getSimpleName);
        boolean ambiguous = Arrays.stream(overloads)
                        .filter(other -> parameters(other, Class::getSimpleName).equals(simple))
                        .count()
                > 1;
        return ambiguous ? parameters(method, Class::getTypeName) : simple;
    }

    private static String parameters(Method method, Function<Class<?>, String> name) {
        return Arrays.stream(method.getParameterTypes()).map(name).collect(Collectors.joining(",", "(", ")"));
    }
}
