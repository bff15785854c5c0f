package io.ratelimit.lab;

import java.util.OptionalLong;

/**
 * What a limiter answered to one call.
 *
 * @param retryAfterMicros how long a refused caller should wait, if the limiter says so
 * @param decidedAtMicros when the store decided, by its own clock, if the limiter says so
 */
public record Answer(boolean allowed, OptionalLong retryAfterMicros, OptionalLong decidedAtMicros) {

    public static Answer of(boolean allowed) {
        return new Answer(allowed, OptionalLong.empty(), OptionalLong.empty());
    }

    /** The wait has a meaning only if the call was refused. */
    public static Answer of(boolean allowed, long retryAfterMicros) {
        return new Answer(
                allowed, allowed ? OptionalLong.empty() : OptionalLong.of(retryAfterMicros), OptionalLong.empty());
    }

    public Answer decidedAt(long micros) {
        return new Answer(allowed, retryAfterMicros, OptionalLong.of(micros));
    }
}
