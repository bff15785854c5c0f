package io.ratelimit.internal;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;

/**
 * What of a limit tells its counts from those of others: name, algorithm and window. Sums and times of one window mean
 * nothing to another. The other numbers of a limit are not part of it: each call brings its own.
 */
public record LimitId(String name, Algorithm algorithm, long windowMicros) {

    public static LimitId of(Limit limit) {
        return new LimitId(limit.name(), limit.algorithm(), limit.quota().windowMicros());
    }
}
