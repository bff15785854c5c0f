package io.ratelimit.lab;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/**
 * What a limiter answered to one call.
 *
 * @param retryAfterMicros how long a refused caller should wait, if the limiter says so
 * @param decidedAtMicros when the store decided, by its own clock, if the limiter says so
 * @param settlement corrects what was charged to what the call really cost, if the limiter can
 */
public record Answer(
        boolean allowed,
        OptionalLong retryAfterMicros,
        OptionalLong decidedAtMicros,
        Optional<LongConsumer> settlement) {

    public static Answer of(boolean allowed) {
        return new Answer(allowed, OptionalLong.empty(), OptionalLong.empty(), Optional.empty());
    }

    /** The wait has a meaning only if the call was refused. */
    public static Answer of(boolean allowed, long retryAfterMicros) {
        OptionalLong wait = allowed ? OptionalLong.empty() : OptionalLong.of(retryAfterMicros);
        return new Answer(allowed, wait, OptionalLong.empty(), Optional.empty());
    }

    public Answer decidedAt(long micros) {
        return new Answer(allowed, retryAfterMicros, OptionalLong.of(micros), settlement);
    }

    public Answer settledBy(LongConsumer actual) {
        return new Answer(allowed, retryAfterMicros, decidedAtMicros, Optional.of(actual));
    }
}
