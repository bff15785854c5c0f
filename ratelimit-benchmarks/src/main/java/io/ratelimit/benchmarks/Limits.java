package io.ratelimit.benchmarks;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;

/** The one set of numbers that all contenders limit by. So large a burst that every decision admits. */
final class Limits {

    static final long PER_SECOND = 1_000;
    static final long BURST = 1_000_000_000;
    static final Limit AMPLE = Limit.of("ample", Algorithm.TOKEN_BUCKET, PER_SECOND, Duration.ofSeconds(1))
            .withBurst(BURST);
    static final Limit AMPLE_TOO = Limit.of("ample-too", Algorithm.TOKEN_BUCKET, PER_SECOND, Duration.ofSeconds(1))
            .withBurst(BURST);

    /** As ample, but a bucket that was used is full again only after a minute, until when Redis keeps it. */
    static final Limit LASTING = Limit.of("ample", Algorithm.TOKEN_BUCKET, PER_SECOND, Duration.ofDays(1))
            .withBurst(1_000_000);

    private Limits() {}
}
