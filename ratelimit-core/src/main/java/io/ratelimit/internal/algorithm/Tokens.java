package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;
import io.ratelimit.internal.MulDiv;

/**
 * A number of tokens: whole ones, and parts of which W make a token. L tokens per W are L parts in each µs, so a refill is
 * a whole number of parts, whatever L is. Only answers are rounded.
 */
record Tokens(long whole, long parts) {

    static final Tokens NONE = new Tokens(0, 0);

    /** More than is ever missing. Refills are cut here, before they exceed a long. */
    private static final long MOST = 10 * Quota.MOST_OWED;

    /** Returns what refills in so many µs. */
    static Tokens refilled(long perWindow, long micros, long windowMicros) {
        if ((double) perWindow * micros > (double) MOST * windowMicros) {
            return new Tokens(MOST, 0);
        }
        long whole = MulDiv.floorDiv(perWindow, micros, windowMicros);
        return new Tokens(whole, perWindow * micros - whole * windowMicros); // both may wrap, and then do alike
    }

    /** Returns in how many µs as much is refilled, rounded up. */
    long refillMicros(long perWindow, long windowMicros) {
        long more = parts + perWindow - 1;
        return MulDiv.floorDiv(whole, windowMicros, more, perWindow);
    }

    Tokens plus(long tokens) {
        return new Tokens(whole + tokens, parts);
    }

    Tokens plus(Tokens other, long windowMicros) {
        long carried = parts + other.parts >= windowMicros ? 1 : 0;
        return new Tokens(whole + other.whole + carried, parts + other.parts - carried * windowMicros);
    }

    /** Returns the difference, none if it is negative. */
    Tokens minus(Tokens other, long windowMicros) {
        long borrowed = parts < other.parts ? 1 : 0;
        long left = whole - other.whole - borrowed;
        return left < 0 ? NONE : new Tokens(left, parts - other.parts + borrowed * windowMicros);
    }

    /** Returns the difference, none if it is negative. */
    Tokens minus(long tokens, long windowMicros) {
        return minus(new Tokens(tokens, 0), windowMicros);
    }

    boolean exceeds(Tokens other) {
        return whole > other.whole || (whole == other.whole && parts > other.parts);
    }

    boolean exceeds(long tokens) {
        return whole > tokens || (whole == tokens && parts > 0);
    }

    Tokens atLeast(Tokens other) {
        return other.exceeds(this) ? other : this;
    }

    Tokens atMost(Tokens other) {
        return exceeds(other) ? other : this;
    }
}
