package io.ratelimit.spring.internal.rule;

import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What rules have unless a route or annotation says otherwise. Immutable and thread-safe.
 *
 * @param plan null if there is none
 * @param allow requests that nothing limits
 * @param counted which calls count for a limit, by its name
 * @param plans the plans of a limit, by its name
 * @param provided true for a limit that a {@link io.ratelimit.LimitProvider} gives numbers
 */
public record RuleDefaults(
        String key,
        @Nullable String plan,
        FailurePolicy onStoreFailure,
        List<String> allow,
        Map<String, Counted> counted,
        Map<String, Plans> plans,
        Predicate<Limit> provided) {

    public RuleDefaults {
        counted = Map.copyOf(counted);
        plans = Map.copyOf(plans);
    }
}
