package io.ratelimit.spring.internal.rule;

import io.ratelimit.Limit;
import io.ratelimit.spring.RequestView;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A route or annotation as it is written: the text of each attribute, null where it is not written.
 *
 * @param where the route or annotated method, for messages
 * @param places returns where the attribute of that name stands
 * @param method whose arguments expressions may name; null for a route
 * @param limits the limits that are named and defined
 * @param plans the plans of a limit that is defined here, by its name
 */
public record RuleText(
        String where,
        UnaryOperator<String> places,
        @Nullable Method method,
        List<Limit> limits,
        Map<String, Plans> plans,
        @Nullable String plan,
        @Nullable String key,
        @Nullable String element,
        @Nullable String cost,
        @Nullable String actualCost,
        List<String> count,
        @Nullable String condition,
        @Nullable String onStoreFailure) {

    /** Returns where the attribute of that name stands. */
    String at(String attribute) {
        return places.apply(attribute);
    }

    /** Returns the class that bare words of expressions are members of. */
    Class<?> root() {
        return method == null ? RequestView.class : method.getDeclaringClass();
    }
}
