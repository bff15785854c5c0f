package io.ratelimit.algorithm;

/**
 * A bucket of {@code capacity} tokens, refilled evenly at L per W; a request takes as many as it costs.
 *
 * <p>Kept as the generic cell rate algorithm (ITU-T I.371) keeps it: not as a count of tokens but as the one time at
 * which the bucket is full again. A token is worth W / L of time. Taking c moves the time c * W / L further away; a
 * request fits if the bucket would then be full within the time T = capacity * W / L that a whole refill takes. With
 * 10 per 1 s and a burst of 20, a token is worth 100 ms and T is 2 s.
 *
 * <p>W / L need not be whole: 3 per second makes 333,333 1/3 µs. Rounding it would drift, so the time is kept in whole
 * µs and a rest in parts of 1/L µs, and nothing is ever rounded but an answer.
 *
 * <p>A clock that steps back makes the bucket look emptier, never fuller, so there is no newest time to keep.
 */
public final class TokenBucket implements Tally {

    private long fullAtMicros;
    private long fullAtParts;

    @Override
    public long now(long clockMicros) {
        return clockMicros;
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost) {
        long lacking = missingMicros(nowMicros) + costMicros(quota, cost) - wholeMicros(quota);
        long parts = missingParts(quota, nowMicros) + costParts(quota, cost) - wholeParts(quota);
        boolean surelyThere = lacking < 0 && parts <= quota.maxRequests();
        return surelyThere ? 0 : Math.max(0, lacking - Math.floorDiv(-parts, quota.maxRequests()));
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        moveFullAt(quota, nowMicros, costMicros(quota, cost), costParts(quota, cost));
    }

    /** Gives back the time the cost was worth, less what has passed since: that much may have run over already. */
    @Override
    public void giveBack(Quota quota, long nowMicros, long cost, long takenAtMicros) {
        long worth = costMicros(quota, cost) - Math.max(0, nowMicros - takenAtMicros);
        if (worth >= 0) {
            moveFullAt(quota, nowMicros, -worth, -costParts(quota, cost));
        }
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        long presentMicros = wholeMicros(quota) - missingMicros(nowMicros);
        long presentParts = wholeParts(quota) - missingParts(quota, nowMicros);
        if (presentParts < 0) {
            presentMicros--;
            presentParts += quota.maxRequests();
        }
        if (presentMicros < 0) {
            return 0;
        }
        return MulDiv.floorDiv(presentMicros, quota.maxRequests(), presentParts, quota.windowMicros());
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return missingMicros(nowMicros) + (missingParts(quota, nowMicros) > 0 ? 1 : 0);
    }

    private void moveFullAt(Quota quota, long nowMicros, long byMicros, long byParts) {
        long parts = missingParts(quota, nowMicros) + byParts;
        long micros = missingMicros(nowMicros) + byMicros;
        if (parts >= quota.maxRequests()) {
            parts -= quota.maxRequests();
            micros++;
        } else if (parts < 0) {
            parts += quota.maxRequests();
            micros--;
        }
        boolean full = micros < 0;
        fullAtMicros = full ? nowMicros : nowMicros + micros;
        fullAtParts = full ? 0 : parts;
    }

    private long missingMicros(long nowMicros) {
        return Math.max(0, fullAtMicros - nowMicros);
    }

    /** Parts of 1/L µs beside {@link #missingMicros}; less than a whole one also after L was lowered. */
    private long missingParts(Quota quota, long nowMicros) {
        return fullAtMicros < nowMicros ? 0 : Math.min(fullAtParts, quota.maxRequests() - 1);
    }

    private static long wholeMicros(Quota quota) {
        return quota.capacity() == quota.maxRequests() ? quota.windowMicros() : costMicros(quota, quota.capacity());
    }

    private static long wholeParts(Quota quota) {
        return quota.capacity() == quota.maxRequests() ? 0 : costParts(quota, quota.capacity());
    }

    private static long costMicros(Quota quota, long cost) {
        return MulDiv.floorDiv(cost, quota.windowMicros(), quota.maxRequests());
    }

    private static long costParts(Quota quota, long cost) {
        return MulDiv.remainder(cost, quota.windowMicros(), quota.maxRequests());
    }
}
