package io.ratelimit.internal.call;

import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Micros;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Admits so much more of a subject for a time, or nothing, whatever the limit has left. */
public final class Block extends SubjectChange {

    private static final Duration LONGEST = Duration.ofDays(366);

    private final long remaining;
    private final long micros;
    private volatile @Nullable Runnable madeLate;

    public Block(Limit limit, String subject, long remaining, Duration length, Executor threads, Consumer<Call> then) {
        super(limit, subject, threads, then);
        check(limit, remaining);
        this.remaining = remaining;
        this.micros = micros(limit, length);
    }

    private Block(Limit limit, String subject, long remaining, Block other, Layer madeBy, Consumer<Call> then) {
        super(limit, subject, other, madeBy, then);
        this.remaining = remaining;
        this.micros = other.micros;
    }

    /** Throws {@link IllegalArgumentException} if the limit cannot be capped at that. */
    public static void check(Limit limit, long remaining) {
        if (remaining < 0 || (remaining > 0 && limit.algorithm().countsElements())) {
            throw new IllegalArgumentException(
                    "limit '%s' cannot be capped at '%d': pass 0 or more, and 0 where it counts elements"
                            .formatted(limit.name(), remaining));
        }
    }

    /** Returns the length in µs, 0 if it is negative; throws {@link IllegalArgumentException} if it is above 366 days. */
    public static long micros(Limit limit, Duration length) {
        if (length.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("limit '%s' cannot be blocked for '%s': pass at most 366 days"
                    .formatted(limit.name(), Micros.text(length)));
        }
        return length.isNegative() ? 0 : Micros.of(length);
    }

    /** Creates the same for another limit and subject with another number, which a layer makes for this call. */
    public Block of(Limit other, String otherSubject, long otherRemaining, Layer madeBy, Consumer<Call> then) {
        return new Block(other, otherSubject, otherRemaining, this, madeBy, then);
    }

    /** Says what runs when the store makes this block after it has failed; for its parts, too, which layers make. */
    public void whenMadeLate(Runnable then) {
        madeLate = then;
    }

    /** The store has made this block though it has failed. */
    public void madeLate() {
        if (root instanceof Block asked && asked.madeLate != null) {
            asked.madeLate.run();
        }
    }

    @Override
    public void applyTo(RateLimiter limiter) {
        limiter.cap(limit(), subject(), remaining, length());
    }

    public long remaining() {
        return remaining;
    }

    public long micros() {
        return micros;
    }

    public Duration length() {
        return Micros.toDuration(micros);
    }
}
