package io.ratelimit.spring.internal.rule;

import io.ratelimit.Limit;
import io.ratelimit.spring.internal.rule.CallLimiter.Unresolved;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a rule, each with the numbers that it has for a call: its own, or those of the call's plan. Immutable and
 * thread-safe.
 *
 * @param limits with their own numbers
 * @param plan names the plan of a call; null if there is none, or no limit has plans
 * @param plans by the names of limits and of plans; an empty limit is unlimited
 * @param names all that are configured, also of other limits
 */
public record PlannedLimits(
        List<Limit> limits, @Nullable Plan plan, Map<String, Map<String, Optional<Limit>>> plans, Set<String> names) {

    public PlannedLimits {
        limits = List.copyOf(limits);
        plans = Map.copyOf(plans);
    }

    /** Creates limits without plans. */
    public static PlannedLimits of(List<Limit> limits) {
        return new PlannedLimits(limits, null, Map.of(), Set.of());
    }

    /** Creates limits of which some have plans. */
    static PlannedLimits of(List<Limit> limits, Plan plan, Map<String, Plans> plans) {
        Map<String, Map<String, Optional<Limit>>> byLimit = new HashMap<>();
        for (Limit limit : limits) {
            Plans ofLimit = plans.get(limit.name());
            if (ofLimit != null) {
                byLimit.put(limit.name(), ofLimit.of(limit));
            }
        }
        Set<String> names = plans.values().stream()
                .flatMap(ofLimit -> ofLimit.names().stream())
                .collect(Collectors.toUnmodifiableSet());
        return new PlannedLimits(limits, plan, byLimit, names);
    }

    boolean needsPrincipal() {
        return plan != null && plan.needsPrincipal();
    }

    /** Returns the limits that the call is charged to; those that are unlimited by its plan are left out. */
    List<Limit> of(Call call, Unresolved.Listener unresolved) {
        if (plan == null) {
            return limits;
        }
        String named = plan.of(call, names);
        if (named == null) {
            limits.stream()
                    .filter(limit -> plans.containsKey(limit.name()))
                    .forEach(limit -> unresolved.onUnresolved(limit, Unresolved.PLAN));
            return limits;
        }
        List<Limit> charged = new ArrayList<>(limits.size());
        for (Limit limit : limits) {
            Map<String, Optional<Limit>> ofLimit = plans.get(limit.name());
            Optional<Limit> planned = ofLimit == null ? null : ofLimit.get(named);
            if (planned == null) {
                charged.add(limit);
            } else if (planned.isPresent()) {
                charged.add(planned.get());
            } else {
                call.explain("limit '{}' is unlimited by plan '{}'", limit.name(), named);
            }
        }
        return charged;
    }

    /** Returns each limit with the numbers that admit the largest cost; those that a plan makes unlimited are left out. */
    List<Limit> largest() {
        List<Limit> largest = new ArrayList<>();
        for (Limit limit : limits) {
            Map<String, Optional<Limit>> ofLimit = plan == null ? Map.of() : plans.getOrDefault(limit.name(), Map.of());
            if (ofLimit.values().stream().allMatch(Optional::isPresent)) {
                largest.add(ofLimit.values().stream()
                        .flatMap(Optional::stream)
                        .filter(planned -> planned.largestCost() > limit.largestCost())
                        .max(Comparator.comparingLong(Limit::largestCost))
                        .orElse(limit));
            }
        }
        return largest;
    }
}
