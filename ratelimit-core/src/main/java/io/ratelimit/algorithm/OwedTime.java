package io.ratelimit.algorithm;

/**
 * The time that a bucket needs to be full again, kept as the time at which it is. A bucket extends it instead of having
 * one, because there is a bucket for each subject.
 *
 * <p>A token is worth W / L of time, which is rarely a whole number: 3 per second makes 333,333 1/3 µs. To avoid drift,
 * the time is kept in whole µs and a rest in parts of 1/L µs. Only answers are rounded, and the rest when a quota with
 * another L reads it: up, so that no request is admitted too early.
 */
abstract class OwedTime {

    private long fullAtMicros;
    private long fullAtParts;
    private long partsOfMicro;

    /** Adds to what is owed, or takes from it if negative; at most the time that is owed then. */
    final void owe(Quota quota, long nowMicros, long moreMicros, long moreParts) {
        long micros = owedMicros(quota, nowMicros) + moreMicros;
        long parts = owedParts(quota, nowMicros) + moreParts;
        if (parts >= quota.maxRequests()) {
            parts -= quota.maxRequests();
            micros++;
        } else if (parts < 0) {
            parts += quota.maxRequests();
            micros--;
        }
        boolean full = micros < 0 || micros + parts == 0;
        setOwed(quota, full ? 0 : nowMicros + micros, full ? 0 : parts);
    }

    final void setOwed(Quota quota, long untilMicros, long parts) {
        fullAtMicros = untilMicros;
        fullAtParts = parts;
        partsOfMicro = quota.maxRequests();
    }

    /** Returns whether the last call took all that was owed. */
    final boolean owesNothing() {
        return fullAtMicros == 0;
    }

    final boolean owesNothing(long nowMicros) {
        return fullAtMicros < nowMicros;
    }

    /** Returns the owed time rounded up; negative if nothing has been owed for longer than that. */
    final long owedUpToMicros(long nowMicros) {
        return fullAtMicros - nowMicros + (fullAtParts > 0 ? 1 : 0);
    }

    final long owedMicros(Quota quota, long nowMicros) {
        return owesNothing(nowMicros) ? 0 : fullAtMicros - nowMicros + (isOfOtherParts(quota) ? 1 : 0);
    }

    /** Returns the parts of 1/L µs that are owed in addition to {@link #owedMicros}. */
    final long owedParts(Quota quota, long nowMicros) {
        return owesNothing(nowMicros) || isOfOtherParts(quota) ? 0 : fullAtParts;
    }

    private boolean isOfOtherParts(Quota quota) {
        return fullAtParts > 0 && partsOfMicro != quota.maxRequests();
    }

    /** Returns the whole µs in which the bucket refills. */
    static long wholeMicros(Quota quota) {
        return quota.capacity() == quota.maxRequests() ? quota.windowMicros() : costMicros(quota, quota.capacity());
    }

    static long wholeParts(Quota quota) {
        return quota.capacity() == quota.maxRequests() ? 0 : costParts(quota, quota.capacity());
    }

    /** Returns the whole µs that the cost is worth. */
    static long costMicros(Quota quota, long cost) {
        return MulDiv.floorDiv(cost, quota.windowMicros(), quota.maxRequests());
    }

    static long costParts(Quota quota, long cost) {
        return MulDiv.remainder(cost, quota.windowMicros(), quota.maxRequests());
    }
}
