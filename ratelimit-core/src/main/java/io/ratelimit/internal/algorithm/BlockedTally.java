package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;

/**
 * The state of a subject that is blocked: until a time it is refused, or admitted so much more at most, whatever its limit has
 * left. The state inside counts and is settled as any other, and decides alone once the block is over. Of several blocks the
 * one that admits less holds, and of equal ones the one that ends later.
 *
 * <p>When the clock steps back to before the block began, the block lasts for its whole length from then on. So nobody is
 * blocked for longer than was asked for. A block that a call has found to be over does not come back.
 */
public final class BlockedTally implements Tally {

    private final Tally inside;
    private long clockMicros;
    private long beganMicros;
    private long endsMicros;
    private long left;

    private BlockedTally(Tally inside) {
        this.inside = inside;
    }

    /** Returns the state, which admits so much for that time at most. */
    public static Tally of(Tally tally, Quota quota, long clockMicros, long left, long lengthMicros) {
        if (lengthMicros == 0) {
            return tally;
        }
        BlockedTally blocked = tally instanceof BlockedTally already ? already : new BlockedTally(tally);
        blocked.now(quota, clockMicros);
        long endsMicros = clockMicros + lengthMicros;
        if (!blocked.holds() || left < blocked.left || (left == blocked.left && endsMicros > blocked.endsMicros)) {
            blocked.beganMicros = clockMicros;
            blocked.endsMicros = endsMicros;
            blocked.left = left;
        }
        return blocked;
    }

    private boolean holds() {
        return endsMicros > clockMicros;
    }

    @Override
    public long now(Quota quota, long clockMicros) {
        long back = Math.max(0, beganMicros - clockMicros);
        beganMicros -= back;
        endsMicros -= back;
        if (endsMicros <= clockMicros) {
            beganMicros = 0;
            endsMicros = 0;
        }
        this.clockMicros = clockMicros;
        return inside.now(quota, clockMicros);
    }

    @Override
    public boolean isBlocked(long cost) {
        return holds() && (left == 0 || cost > left);
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead) {
        long micros = inside.retryAfterMicros(quota, nowMicros, cost, ahead);
        return isBlocked(ahead + cost) ? orLeft(micros) : micros;
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        left -= cost;
        inside.take(quota, nowMicros, cost);
    }

    /** A decision may have known the end of a block instead of when the state was reset: less is given back then. */
    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {
        left = Math.max(0, left - Math.max(0, more));
        inside.settle(quota, nowMicros, more, takenAtMicros, holds() ? 0 : resetAfterMicros);
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        long remaining = inside.remaining(quota, nowMicros);
        return holds() ? Math.min(left, remaining) : remaining;
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return orLeft(inside.resetAfterMicros(quota, nowMicros));
    }

    @Override
    public long givenBackMicros(Quota quota, long nowMicros) {
        return holds() ? 0 : inside.givenBackMicros(quota, nowMicros);
    }

    @Override
    public long heapBytes() {
        return 48 + inside.heapBytes();
    }

    @Override
    public long lastsMicros(Quota quota, long nowMicros) {
        return orLeft(inside.lastsMicros(quota, nowMicros));
    }

    private long orLeft(long micros) {
        return Math.max(endsMicros - clockMicros, micros);
    }
}
