package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what is missing from a bucket as it was when it was last changed. A bucket extends it instead of having one,
 * because there is a bucket for each subject.
 */
abstract class MissingTokens {

    private static final Tokens MOST_OWED = new Tokens(Quota.MOST_OWED, 0);

    private long changedAtMicros;
    private long whole;
    private long parts;
    private long rate;

    @Nullable
    private Beyond beyond;

    /**
     * Kept if more is missing than the quota that wrote it counts, or than its bucket holds.
     *
     * @param capacity its own
     * @param missing what larger buckets find missing
     * @param rate the fastest since the bucket was last full
     */
    private record Beyond(long capacity, Tokens missing, long rate) {}

    /** After a step back, as much is missing as at the last change, and it refills from the clock's new time. */
    final void clockIs(long clockMicros) {
        changedAtMicros = Math.min(changedAtMicros, clockMicros);
    }

    final long sinceChangeMicros(long nowMicros) {
        return nowMicros - changedAtMicros;
    }

    /**
     * Changes what is missing.
     *
     * @param own what this quota finds missing from now on
     * @param most what the largest bucket does
     */
    final void change(Quota quota, long nowMicros, Tokens own, Tokens most) {
        Tokens all = most.atMost(MOST_OWED);
        boolean isMore = all.exceeds(own);
        long fastest = isMore ? Math.max(quota.maxRequests(), fastest()) : quota.maxRequests();
        changedAtMicros = nowMicros;
        whole = own.whole();
        parts = own.parts();
        rate = quota.maxRequests();
        beyond = isMore || own.exceeds(quota.capacity()) ? new Beyond(quota.capacity(), all, fastest) : null;
    }

    /** Returns what this quota finds missing. */
    final Tokens missing(Quota quota, long nowMicros) {
        Beyond kept = findsBeyond(quota);
        Tokens then = kept == null ? own() : kept.missing;
        if (then.whole() >= quota.capacity()) {
            then = then.atMost(most(quota));
        }
        Tokens left = refilled(then, quota.maxRequests(), quota.windowMicros(), nowMicros);
        return outlives(quota) && untilFullMicros(quota.windowMicros(), nowMicros) == 0 ? Tokens.NONE : left;
    }

    /** Returns what is missing from the largest bucket, if this quota finds {@code own} missing. */
    final Tokens all(Quota quota, long nowMicros, Tokens own) {
        if (beyond == null && whole < quota.capacity()) {
            return own;
        }
        Tokens then = beyond == null ? own() : beyond.missing;
        long fastest = Math.max(quota.maxRequests(), fastest());
        return own.atLeast(refilled(then, fastest, quota.windowMicros(), nowMicros));
    }

    /** Returns the fastest rate since the bucket was last full, as far as it is known. */
    final long fastest() {
        return beyond == null ? rate : beyond.rate;
    }

    /** Returns in how much time so much of what this quota finds missing is refilled. */
    final long refillMicros(Quota quota, long nowMicros, Tokens tokens) {
        long micros = tokens.refillMicros(quota.maxRequests(), quota.windowMicros());
        return outlives(quota) ? Math.min(micros, untilFullMicros(quota.windowMicros(), nowMicros)) : micros;
    }

    /** Returns the time until the bucket is full for every quota. */
    final long untilFullMicros(long windowMicros, long nowMicros) {
        long micros = own().exceeds(0) ? own().refillMicros(rate, windowMicros) : 0;
        if (beyond != null) {
            micros = Math.max(micros, beyond.missing.refillMicros(beyond.rate, windowMicros));
        }
        return Math.max(0, micros - sinceChangeMicros(nowMicros));
    }

    private Tokens own() {
        return new Tokens(whole, parts);
    }

    /** Returns a whole bucket and the debt. */
    private Tokens most(Quota quota) {
        Tokens debt = beyond == null ? Tokens.NONE : own().minus(beyond.capacity, quota.windowMicros());
        return debt.atMost(TokenBucket.largestDebt(quota)).plus(quota.capacity());
    }

    private Tokens refilled(Tokens missing, long perWindow, long windowMicros, long nowMicros) {
        long micros = sinceChangeMicros(nowMicros);
        return micros == 0 || !missing.exceeds(0)
                ? missing
                : missing.minus(Tokens.refilled(perWindow, micros, windowMicros), windowMicros);
    }

    /** Returns what is kept beyond a smaller bucket if this quota finds it, otherwise null. */
    private @Nullable Beyond findsBeyond(Quota quota) {
        return beyond != null && quota.capacity() > beyond.capacity ? beyond : null;
    }

    /** Returns whether this quota refills what it finds missing at a slower rate than that by which it is kept. */
    private boolean outlives(Quota quota) {
        Beyond kept = findsBeyond(quota);
        return quota.maxRequests() < (kept == null ? rate : kept.rate);
    }
}
