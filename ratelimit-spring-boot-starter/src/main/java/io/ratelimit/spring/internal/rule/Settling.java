package io.ratelimit.spring.internal.rule;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Corrects what a rule charged a call, when that has ended. Immutable and thread-safe.
 *
 * @param actualCost what the call cost; null if that is what it was charged
 * @param counted which calls count, by the names of limits; all of limits that are not in it
 */
public record Settling(@Nullable ActualCost actualCost, Map<String, Counted> counted) {

    /** The call stays charged as it was. */
    public static final Settling NONE = new Settling(null, Map.of());

    public Settling {
        counted = Map.copyOf(counted);
    }

    /**
     * The settling of a rule.
     *
     * @param ofRule which calls count for all of its limits; null if each limit says it
     * @param ofLimits what limits say, by their names
     */
    public static Settling of(
            @Nullable ActualCost actualCost,
            @Nullable Counted ofRule,
            Map<String, Counted> ofLimits,
            List<Limit> limits) {
        Map<String, Counted> counted = new HashMap<>();
        for (Limit limit : limits) {
            Counted ofLimit = ofRule == null ? ofLimits.getOrDefault(limit.name(), Counted.ALL) : ofRule;
            if (!ofLimit.isAll()) {
                counted.put(limit.name(), ofLimit);
            }
        }
        return new Settling(actualCost, counted);
    }

    /** True if the charges of a limit are corrected at all. Slots are freed instead, and elements stay counted. */
    public static boolean corrects(Limit limit) {
        return limit.algorithm().countsCosts();
    }

    /**
     * Checks that there is something to correct.
     *
     * @throws InvalidRateLimitException if none of the limits is corrected
     */
    public static void checkCorrectsOneOf(List<Limit> limits, String where) {
        if (limits.stream().noneMatch(Settling::corrects)) {
            throw new InvalidRateLimitException(
                    MessageCode.ALGORITHM_INVALID,
                    where,
                    "none of the limits %s counts what a call cost: leave it out, or add a limit of another algorithm than %s"
                            .formatted(
                                    limits.stream().map(Limit::name).toList(),
                                    limits.get(0).algorithm().label()));
        }
    }

    /** The limits, each with a ban that counts failures if the limit counts only those. */
    List<Limit> withBans(List<Limit> limits) {
        return limits.stream()
                .map(limit -> counted.getOrDefault(limit.name(), Counted.ALL).banned(limit))
                .toList();
    }

    boolean isLate() {
        return actualCost != null && actualCost.isLate();
    }

    boolean isNone() {
        return actualCost == null && counted.isEmpty();
    }

    /** True if the limit counts the call. */
    boolean counts(Limit limit, Ending ending) {
        Counted ofLimit = counted.get(limit.name());
        return ofLimit == null || ofLimit.counts(ending);
    }

    /** Returns the cost of a call that counts; empty if that is not known. */
    OptionalLong actual(Call call, long charged, Ending ending) {
        return actualCost == null ? OptionalLong.of(charged) : actualCost.of(call, charged, ending);
    }
}
