package io.ratelimit.spring.internal.rule;

import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.internal.numbers.OtherNumbers;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The plans of one limit, by their names. Immutable and thread-safe. */
public record Plans(Map<String, Numbers> byName) {

    /**
     * The numbers of a plan as they are written. What is not written is as the limit has it.
     *
     * @param unlimited whether the plan has no limit at all
     */
    public record Numbers(
            @Nullable Long maxRequests, @Nullable Long burst, boolean unlimited) {

        private Limit of(Limit limit, String plan) {
            long most = maxRequests == null ? limit.maxRequests() : maxRequests;
            return limit.withPlan(plan, most, burst == null ? OtherNumbers.burst(limit, most) : burst);
        }
    }

    /** Names that meters and the endpoint give to numbers of no plan, and to those of a {@link LimitProvider}. */
    private static final Set<String> TAKEN = Set.of("none", LimitProvider.PLAN);

    public Plans {
        byName = Map.copyOf(byName);
    }

    Set<String> names() {
        return byName.keySet();
    }

    /** Returns the limit with the numbers of each plan; empty for one that is unlimited. */
    Map<String, Optional<Limit>> of(Limit limit) {
        return byName.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey,
                        plan -> plan.getValue().unlimited()
                                ? Optional.empty()
                                : Optional.of(plan.getValue().of(limit, plan.getKey()))));
    }

    /**
     * Checks that the limit can have these plans.
     *
     * @throws InvalidRateLimitException if it cannot
     */
    public void check(Limit limit, String where) {
        byName.forEach((name, numbers) -> {
            String place = where + "." + name;
            if (TAKEN.contains(name)) {
                throw new InvalidRateLimitException(
                        MessageCode.PLAN_INVALID,
                        place,
                        "plan '%s' of limit '%s' has a name that meters give to numbers of no plan: choose another"
                                .formatted(name, limit.name()));
            }
            boolean numbered = numbers.maxRequests() != null || numbers.burst() != null;
            if (numbered == numbers.unlimited()) {
                throw new InvalidRateLimitException(
                        MessageCode.PLAN_INVALID,
                        place,
                        "plan '%s' of limit '%s' has %s: write either max-requests or unlimited: true"
                                .formatted(name, limit.name(), numbered ? "numbers and is unlimited" : "no numbers"));
            }
            try {
                numbers.of(limit, name);
            } catch (IllegalArgumentException invalid) {
                throw new InvalidRateLimitException(MessageCode.PLAN_INVALID, place, invalid.getMessage(), invalid);
            }
        });
    }
}
