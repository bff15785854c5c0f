package io.ratelimit.spring.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.util.ReflectionUtils;

/** Where an annotation stands. */
record Site(Method method, Class<?> type, int index) {

    String where() {
        return "@RateLimited on " + limitName();
    }

    /** Class and method, with what tells overloads and repeated annotations apart. */
    String limitName() {
        Method[] overloads = ReflectionUtils.getUniqueDeclaredMethods(
                type, other -> other.getName().equals(method.getName()) && !other.isSynthetic());
        String parameters = overloads.length > 1 ? parameters(overloads) : "";
        return type.getName() + "." + method.getName() + parameters + (index == 0 ? "" : "#" + (index + 1));
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
