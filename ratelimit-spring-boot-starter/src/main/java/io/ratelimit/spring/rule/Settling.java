package io.ratelimit.spring.rule;

import io.ratelimit.Limit;
import io.ratelimit.MessageCode;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.key.Call;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How a rule corrects what it charged a call, when that has ended. Immutable and thread-safe.
 *
 * @param actualCost what the call cost; null if that is what it was charged
 * @param onlyFailures whether a call that has not failed costs nothing
 */
public record Settling(@Nullable ActualCost actualCost, boolean onlyFailures) {

    /** The call stays charged as it was. */
    public static final Settling NONE = new Settling(null, false);

    /** Whether the charges of a limit are corrected at all: slots are freed, and elements stay counted. */
    public static boolean corrects(Limit limit) {
        return !limit.algorithm().isReleased() && !limit.algorithm().countsElements();
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

    boolean isNone() {
        return actualCost == null && !onlyFailures;
    }

    /** What the call cost; empty if that is not known. */
    OptionalLong actual(Call call, long charged, Ending ending) {
        if (onlyFailures && !ending.failed()) {
            return OptionalLong.of(0);
        }
        return actualCost == null ? OptionalLong.of(charged) : actualCost.of(call, ending);
    }
}
