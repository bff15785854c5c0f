package io.ratelimit.internal.call;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.Window;

/**
 * The identity of a limit's counts: name, algorithm and window, and whether it only reports. The window belongs to it, because
 * the sums of one window cannot be used for another. The other numbers do not: each call carries its own. Immutable and
 * thread-safe.
 */
public record LimitId(String name, Algorithm algorithm, Window window, boolean reportOnly) {

    public static LimitId of(Limit limit) {
        return new LimitId(limit.name(), limit.algorithm(), limit.quota().window(), limit.reportOnly());
    }

    /** True if it is the identity of the limit. Makes no object. */
    public boolean isOf(Limit limit) {
        return name.equals(limit.name())
                && algorithm == limit.algorithm()
                && reportOnly == limit.reportOnly()
                && window.equals(limit.quota().window());
    }
}
