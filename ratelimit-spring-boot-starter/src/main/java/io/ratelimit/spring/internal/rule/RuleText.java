package io.ratelimit.spring.internal.rule;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A route or annotation as it is written: the text of each attribute, null where it is not written.
 *
 * @param where the route or annotated method, for messages
 * @param places returns where the attribute of that name stands
 * @param method whose arguments expressions may name; null for a route
 * @param root the class that bare words of expressions are members of: of the bean, which may inherit the method
 * @param pathVariables those of the route's patterns
 * @param limits the limits that are named and defined
 * @param together the limits of the whole route, of which this may be a level
 * @param plans the plans of a limit that is defined here, by its name
 */
public record RuleText(
        String where,
        UnaryOperator<String> places,
        @Nullable Method method,
        Class<?> root,
        Set<String> pathVariables,
        List<Limit> limits,
        List<Limit> together,
        Map<String, Plans> plans,
        @Nullable String plan,
        @Nullable String key,
        @Nullable String element,
        @Nullable String cost,
        @Nullable String actualCost,
        List<String> count,
        @Nullable String condition,
        List<String> allow,
        @Nullable String onStoreFailure) {

    /** Returns where the attribute of that name stands. */
    String at(String attribute) {
        return places.apply(attribute);
    }

    /**
     * Returns a key, whose path variable is one of the route's if it counts one.
     *
     * @throws InvalidRateLimitException if no request has that variable, so that addresses would be counted
     */
    SubjectKey checked(String attribute, SubjectKey parsed) {
        String variable = parsed.pathVariable();
        if (variable == null || pathVariables.contains(variable)) {
            return parsed;
        }
        throw new InvalidRateLimitException(
                MessageCode.KEY_INVALID,
                attribute.equals("key") && key == null ? where : at(attribute),
                "%s '%s' names a path variable '%s', which %s"
                        .formatted(
                                attribute,
                                parsed.text(),
                                variable,
                                method != null
                                        ? "only routes have: name an argument of the method, such as #" + variable
                                        : "no path of the route has: write it into one, such as /api/{%s}/**"
                                                .formatted(variable)));
    }
}
