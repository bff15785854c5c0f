package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;

/**
 * The state of a subject that is blocked: refused until a time, whatever its limit has left. The state inside stays, is
 * settled as any other, and decides again once the block is over. Of several blocks the one that ends last holds.
 *
 * <p>When the clock steps back to before the block began, the block lasts for its whole length from then on. So nobody is
 * blocked for longer than was asked for. A block that a call has found to be over does not come back.
 */
public final class BlockedTally implements Tally {

    private final Tally inside;
    private long clockMicros;
    private long beganMicros;
    private long endsMicros;

    private BlockedTally(Tally inside) {
        this.inside = inside;
    }

    /** Returns the state, blocked for that time at least. */
    public static BlockedTally of(Tally tally, Quota quota, long clockMicros, long lengthMicros) {
        BlockedTally blocked = tally instanceof BlockedTally already ? already : new BlockedTally(tally);
        blocked.now(quota, clockMicros);
        if (clockMicros + lengthMicros > blocked.endsMicros) {
            blocked.beganMicros = clockMicros;
            blocked.endsMicros = clockMicros + lengthMicros;
        }
        return blocked;
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
    public boolean isBlocked() {
        return endsMicros > clockMicros;
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead) {
        return orLeft(inside.retryAfterMicros(quota, nowMicros, cost, ahead));
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        inside.take(quota, nowMicros, cost);
    }

    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {
        inside.settle(quota, nowMicros, more, takenAtMicros, resetAfterMicros);
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        return isBlocked() ? 0 : inside.remaining(quota, nowMicros);
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return orLeft(inside.resetAfterMicros(quota, nowMicros));
    }

    @Override
    public long heapBytes() {
        return 40 + inside.heapBytes();
    }

    @Override
    public long lastsMicros(Quota quota, long nowMicros) {
        return orLeft(inside.lastsMicros(quota, nowMicros));
    }

    private long orLeft(long micros) {
        return Math.max(endsMicros - clockMicros, micros);
    }
}
