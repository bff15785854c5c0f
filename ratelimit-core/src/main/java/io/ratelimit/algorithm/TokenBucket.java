package io.ratelimit.algorithm;

/**
 * Admits a request if the bucket holds as many tokens as the request costs. The bucket holds {@code capacity} tokens at
 * most and refills evenly with L tokens per W.
 *
 * <p>The bucket is kept as the generic cell rate algorithm (ITU-T I.371) keeps it: instead of a number of tokens it
 * stores the time at which the bucket will be full. A token is worth W / L of time. Taking c tokens moves that time c *
 * W / L further away. A request fits if the bucket is then full within T = capacity * W / L. Example: with 10 per 1 s
 * and a burst of 20, a token is worth 100 ms and T is 2 s.
 *
 * <p>The time is exact ({@link OwedTime}), and only answers are rounded, up.
 *
 * <p>The same bucket may be used with different quotas. If more than T was missing once, because another quota has a
 * larger burst, the excess over T at that peak does not count for this quota. It still counts for the larger one. Once
 * this quota's bucket has been full since, its next call ends that excess: from then on all calls count for it.
 *
 * <p>If more is missing now than at the peak, the clock has stepped back. Then as much is missing as at the peak.
 *
 * <p>A debt is what is missing beyond T because a call cost more than it was charged. It counts for every quota, so it is
 * not part of that excess. A debt ends at the longer of W and T, rounded up to whole tokens; what exceeds that is not
 * counted. The call that left it has then left every stretch of W. Until such a debt is refilled, nothing is given back,
 * because it would have to be set off against what was not counted.
 *
 * <p>What is given back late is reduced by what would have run over meanwhile, had it never been taken. If resetAfter was
 * R when a cost worth w was taken, then without it the bucket would have been full R - w later. Only from then on tokens run
 * over. Calls made since can only delay that. But what was given back since may have been missing in R. So the bucket
 * remembers what it gave back, and forgets it at twice the rate of time: what was given back since t is at most what is
 * remembered now and 2 (now - t). Nothing is reduced by more than now - t.
 *
 * <p>State: the time at which the bucket will be full, when what it gave back is forgotten, and since it was last full: the
 * most that was missing, and the largest debt.
 */
public final class TokenBucket extends OwedTime implements Tally {

    /** How much faster than time what was given back is forgotten. */
    private static final long FORGETS = 2;

    /** The most by which rounding makes a resetAfter and what is given back together too large. */
    private static final long ROUNDED_MICROS = 2;

    private long peakMicros;
    private long debtMicros;
    private long givenBackUntilMicros;

    @Override
    public long now(Quota quota, long clockMicros) {
        if (owedUpToMicros(clockMicros) > peakMicros) {
            setOwed(quota, clockMicros + peakMicros, 0);
        }
        return clockMicros;
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead) {
        long lacking = missingMicros(quota, nowMicros) + ahead + costMicros(quota, cost) - wholeMicros(quota);
        long parts = missingParts(quota, nowMicros) + costParts(quota, cost) - wholeParts(quota);
        return Math.max(0, lacking + (parts > quota.maxRequests() ? 2 : parts > 0 ? 1 : 0));
    }

    /** Returns the time that the cost is worth, in µs, rounded up. */
    @Override
    public long load(Quota quota, long cost) {
        return MulDiv.ceilDiv(cost, quota.windowMicros(), quota.maxRequests());
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        forgetWhatIsOver(nowMicros);
        lowerPeak(quota, nowMicros);
        owe(quota, nowMicros, costMicros(quota, cost), costParts(quota, cost));
        peakMicros = Math.max(peakMicros, owedUpToMicros(nowMicros));
    }

    /** A debt grows by as much as the peak rises above what an empty bucket and the debt so far explain. */
    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {
        long whole = quota.refillMicros();
        long largestDebt = Math.max(quota.windowMicros(), whole);
        long room = Math.max(0, whole + largestDebt - resetAfterMicros(quota, nowMicros));
        if (more > 0) {
            forgetWhatIsOver(nowMicros);
            long explained = Math.max(peakMicros, whole + debtMicros);
            take(quota, nowMicros, Math.min(more, MulDiv.ceilDiv(room, quota.maxRequests(), quota.windowMicros())));
            debtMicros += Math.max(0, peakMicros - explained);
        } else if (debtMicros < largestDebt || room >= largestDebt) {
            giveBack(quota, nowMicros, -more, Math.max(0, nowMicros - takenAtMicros), resetAfterMicros);
        }
    }

    /** Gives back the time that the cost was worth, minus what would have run over since without it. */
    private void giveBack(Quota quota, long nowMicros, long cost, long sinceMicros, long resetAfterMicros) {
        long whole = costMicros(quota, cost);
        long missing = Math.min(resetAfterMicros, quota.windowMicros()) - ROUNDED_MICROS;
        long keeps = missing - FORGETS * (givenBackMicros(nowMicros) + sinceMicros);
        long worth = Math.min(whole, Math.max(whole, keeps) - sinceMicros);
        if (worth >= 0) {
            long parts = costParts(quota, cost);
            forgetWhatIsOver(nowMicros);
            rememberGivingBack(quota, nowMicros, worth + 1);
            owe(quota, nowMicros, -worth, -parts);
            long peak = peakMicros - worth - (parts > 0 ? 1 : 0);
            peakMicros = owesNothing() ? 0 : Math.max(peak, owedUpToMicros(nowMicros));
        }
    }

    /** Remembers at most a window, because no more than that is taken from what a call found missing. */
    private void rememberGivingBack(Quota quota, long nowMicros, long micros) {
        long most = MulDiv.ceilDiv(quota.windowMicros(), 1, FORGETS);
        long sum = givenBackMicros(nowMicros) + MulDiv.ceilDiv(micros, 1, FORGETS);
        givenBackUntilMicros = nowMicros + Math.min(sum, most);
    }

    /** Returns in how much time what was given back is forgotten. */
    private long givenBackMicros(long nowMicros) {
        return Math.max(0, givenBackUntilMicros - nowMicros);
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        long presentMicros = wholeMicros(quota) - missingMicros(quota, nowMicros);
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
        return missingMicros(quota, nowMicros) + (missingParts(quota, nowMicros) > 0 ? 1 : 0);
    }

    @Override
    public long lastsMicros(Quota quota, long nowMicros) {
        return Math.max(givenBackMicros(nowMicros), owedUpToMicros(nowMicros));
    }

    /** What is over by now stays forgotten if the clock steps back, as it does in Redis. */
    private void forgetWhatIsOver(long nowMicros) {
        if (owesNothing(nowMicros)) {
            peakMicros = 0;
            debtMicros = 0;
        }
        if (givenBackUntilMicros <= nowMicros) {
            givenBackUntilMicros = 0;
        }
    }

    /**
     * Ends what does not count for this quota, if its bucket has been full since the peak, so that the call counts. The
     * missing time is rounded up so that this quota's bucket is exactly full.
     */
    private void lowerPeak(Quota quota, long nowMicros) {
        if (exceeded(quota) && countedMicros(quota, nowMicros) < 0) {
            long wholeParts = wholeParts(quota);
            long parts = wholeParts > 0 ? quota.maxRequests() - wholeParts : 0;
            long owed = owedMicros(quota, nowMicros) + (owedParts(quota, nowMicros) > parts ? 1 : 0);
            long micros = parts > 0 ? Math.max(1, owed) : owed; // less than 1 µs would not exceed the bucket, and count
            setOwed(quota, nowMicros + micros, parts);
            peakMicros = micros + wholeMicros(quota) + debtMicros + (parts > 0 ? 1 : 0);
        }
    }

    private long missingMicros(Quota quota, long nowMicros) {
        return exceeded(quota) ? forgiven(quota, nowMicros).micros : owedMicros(quota, nowMicros);
    }

    /** Returns the parts of 1/L µs that are missing in addition to {@link #missingMicros}. */
    private long missingParts(Quota quota, long nowMicros) {
        return exceeded(quota) ? forgiven(quota, nowMicros).parts : owedParts(quota, nowMicros);
    }

    private boolean exceeded(Quota quota) {
        return peakMicros > wholeMicros(quota) + (wholeParts(quota) > 0 ? 1 : 0) + debtMicros;
    }

    private record Missing(long micros, long parts) {}

    /** Returns what is owed, minus what exceeded this quota's bucket and the debt at the peak. */
    private Missing forgiven(Quota quota, long nowMicros) {
        long micros = countedMicros(quota, nowMicros);
        long parts = owedParts(quota, nowMicros) + wholeParts(quota);
        return micros < 0 ? new Missing(0, 0) : new Missing(micros, parts % quota.maxRequests());
    }

    /** Returns the whole µs of what is owed minus that excess; negative if this quota's bucket has been full since. */
    private long countedMicros(Quota quota, long nowMicros) {
        long parts = owedParts(quota, nowMicros) + wholeParts(quota);
        return owedMicros(quota, nowMicros)
                - peakMicros
                + wholeMicros(quota)
                + debtMicros
                + (parts >= quota.maxRequests() ? 1 : 0);
    }
}
