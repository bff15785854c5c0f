package io.ratelimit.algorithm;

/** One subject of one limit, asked as a store asks: at the tally's own time, and charged only if admitted. */
final class Subject {

    private final Tally tally;
    private Quota quota;

    Subject(Tally tally, Quota quota) {
        this.tally = tally;
        this.quota = quota;
    }

    static Quota quota(long maxRequests, long windowMicros) {
        return new Quota(maxRequests, windowMicros, maxRequests);
    }

    Quota quota() {
        return quota;
    }

    void changeLimitTo(Quota changed) {
        quota = changed;
    }

    boolean admits(long clockMicros) {
        return admits(1, clockMicros);
    }

    boolean admits(long cost, long clockMicros) {
        if (retryAfter(cost, clockMicros) > 0) {
            return false;
        }
        tally.take(quota, tally.now(quota, clockMicros), cost);
        return true;
    }

    /** How many of so many calls of cost 1 are admitted. */
    int admitted(int calls, long clockMicros) {
        int admitted = 0;
        for (int i = 0; i < calls; i++) {
            admitted += admits(clockMicros) ? 1 : 0;
        }
        return admitted;
    }

    void giveBack(long cost, long takenAtMicros, long clockMicros) {
        tally.giveBack(quota, tally.now(quota, clockMicros), cost, takenAtMicros);
    }

    long retryAfter(long cost, long clockMicros) {
        return tally.retryAfterMicros(quota, tally.now(quota, clockMicros), cost, 0);
    }

    long remaining(long clockMicros) {
        return tally.remaining(quota, tally.now(quota, clockMicros));
    }

    long resetAfter(long clockMicros) {
        return tally.resetAfterMicros(quota, tally.now(quota, clockMicros));
    }

    long used(long clockMicros) {
        return quota.capacity() - remaining(clockMicros);
    }
}
