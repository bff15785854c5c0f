package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;
import io.ratelimit.internal.MulDiv;
import org.jspecify.annotations.Nullable;

/**
 * Admits a request if the bucket holds as many tokens as the request costs. The bucket holds {@code capacity} tokens at
 * most and refills evenly with L tokens per W.
 *
 * <p>The bucket is kept as the tokens that were missing from it when it was last changed. Since then L per W have come, by
 * the numbers of the call that asks. Example: of 10 per 1 s and a burst of 20, 15 were missing 300 ms ago. Then 12 are
 * missing, and 8 remain. {@link Tokens} are exact. ITU-T I.371 describes this as the continuous-state leaky bucket, a form of
 * the generic cell rate algorithm.
 *
 * <p>The same bucket may be used with different quotas. What was missing at the last change is missing for each of them,
 * at most its own capacity: 100 a day used up are 9,900 of 10,000 a day, and 5,000 used of those are all of 100 a day. From
 * then on it refills at the rate of the quota that asks. So nobody waits longer than an empty bucket of that quota takes.
 *
 * <p>If a quota with a smaller bucket takes tokens, its own count goes on. What is missing beyond it is kept beside that, and
 * refills at the fastest rate since the bucket was last full. Only larger buckets find it. Therefore all quotas together
 * admit no more in any time t than the largest capacity and what the fastest rate refills in t.
 *
 * <p>The bucket is full once all that is kept would be refilled by the numbers that wrote it. It is full then for every
 * quota, because Redis forgets it then. A slower quota that has not called by then thus waits less than by its own rate.
 *
 * <p>If the clock steps back, as much is missing as at the last change, and it refills from the clock's new time. Nothing is
 * given back to a call until the clock shows its time again, because nobody knows how long ago it was made.
 *
 * <p>A debt is what is missing beyond the capacity because a call cost more than it was charged. It counts for every quota
 * until one takes tokens. A debt is at most what refills in the longer of W and the time that an empty bucket needs;
 * what exceeds that is not counted. The call that left it has then left every stretch of W. Nothing is
 * given back to a call that may be older than such a debt until that is refilled, because it would have to be set off
 * against what was not counted.
 *
 * <p>Nothing is given back to a full bucket, and so nothing of it remembered: it may be forgotten at any time, with its rates.
 *
 * <p>What is given back late is reduced by what would have run over meanwhile, had it never been taken, as {@link LeastMissing} knows.
 * Nothing is reduced by more than what refills since the cost was taken. Quotas of other rates that took tokens and were refilled since are not known:
 * beside a faster one, a call may get back too much.
 *
 * <p>State: the time of the last change, what was missing then, the rate that wrote it, what is beyond the bucket, and what was missing lately.
 */
public final class TokenBucket extends MissingTokens implements Tally {

    /** Null while nothing was given back. */
    private @Nullable LeastMissing leastMissing;

    @Override
    public long now(Quota quota, long clockMicros) {
        long back = -sinceChangeMicros(clockMicros);
        if (leastMissing != null && back > 0) {
            leastMissing.stepBack(clockMicros + back);
        }
        clockIs(clockMicros);
        return clockMicros;
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead) {
        Tokens lacking = missing(quota, nowMicros).plus(ahead + cost - quota.capacity());
        return lacking.exceeds(0) ? refillMicros(quota, nowMicros, lacking) : 0;
    }

    /** Several charges of one call may exceed the bucket by the slower numbers of one of them; then it is empty. */
    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        remember(quota, nowMicros);
        Tokens own = missing(quota, nowMicros);
        Tokens taken = own.plus(cost).atMost(whole(quota));
        change(quota, nowMicros, taken, all(quota, nowMicros, own).plus(cost));
        if (leastMissing != null) {
            leastMissing.take(nowMicros);
        }
    }

    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {
        long sinceMicros = nowMicros - takenAtMicros;
        Tokens own = missing(quota, nowMicros);
        if (more > 0) {
            long window = quota.windowMicros();
            Tokens largest = largestDebt(quota).plus(quota.capacity());
            Tokens added = new Tokens(more, 0).atMost(largest.minus(own, window));
            remember(quota, nowMicros);
            change(
                    quota,
                    nowMicros,
                    own.plus(added, window),
                    all(quota, nowMicros, own).plus(added, window));
        } else if (sinceMicros >= 0 && !isAfterTheLargestDebt(quota, own, sinceMicros)) {
            giveBack(quota, nowMicros, -more, takenAtMicros, resetAfterMicros);
        }
    }

    private static Tokens whole(Quota quota) {
        return new Tokens(quota.capacity(), 0);
    }

    static Tokens largestDebt(Quota quota) {
        return new Tokens(Math.max(quota.maxRequests(), quota.capacity()), 0);
    }

    /** Returns whether there is a debt, and it may have been the largest that counts since then. */
    private static boolean isAfterTheLargestDebt(Quota quota, Tokens own, long sinceMicros) {
        long window = quota.windowMicros();
        Tokens refilled = Tokens.refilled(quota.maxRequests(), sinceMicros, window);
        Tokens largest = largestDebt(quota).plus(quota.capacity());
        return own.exceeds(quota.capacity()) && !largest.minus(refilled, window).exceeds(own);
    }

    /** Gives back what the cost was, minus what would have run over since without it. */
    private void giveBack(Quota quota, long nowMicros, long cost, long takenAtMicros, long foundMicros) {
        Tokens own = missing(quota, nowMicros);
        Tokens all = all(quota, nowMicros, own);
        if (!all.exceeds(0)) {
            return;
        }
        forget(quota, nowMicros);
        LeastMissing least = leastMissing == null ? new LeastMissing(quota, nowMicros) : leastMissing;
        long window = quota.windowMicros();
        long missing = missingMicros(quota, nowMicros);
        long worth = MulDiv.ceilDiv(cost, window, quota.maxRequests());
        long left = least.left(quota, nowMicros, missing, worth, takenAtMicros, foundMicros);
        long fastest = Math.max(quota.maxRequests(), fastest());
        Tokens given = new Tokens(cost, 0).minus(Tokens.refilled(fastest, worth - left, window), window);
        if (given.exceeds(0)) {
            least.isMissing(quota, nowMicros, missing);
            least.giveBack(nowMicros, takenAtMicros, left);
            leastMissing = least;
            change(quota, nowMicros, own.minus(given, window), all.minus(given, window));
        }
    }

    /** Takes note of what is missing before a change. */
    private void remember(Quota quota, long nowMicros) {
        forget(quota, nowMicros);
        if (leastMissing != null) {
            leastMissing.isMissing(quota, nowMicros, missingMicros(quota, nowMicros));
        }
    }

    private void forget(Quota quota, long nowMicros) {
        if (leastMissing != null && sinceChangeMicros(nowMicros) >= LeastMissing.memoryMicros(quota)) {
            leastMissing = null;
        }
    }

    private long missingMicros(Quota quota, long nowMicros) {
        return Math.max(0, resetAfterMicros(quota, nowMicros) - 1);
    }

    @Override
    public long givenBackMicros(Quota quota, long nowMicros) {
        return leastMissing == null || sinceChangeMicros(nowMicros) >= LeastMissing.memoryMicros(quota)
                ? 0
                : leastMissing.givenBackMicros();
    }

    @Override
    public long heapBytes() {
        return leastMissing == null ? 40 : 300;
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        return whole(quota)
                .minus(missing(quota, nowMicros), quota.windowMicros())
                .whole();
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return refillMicros(quota, nowMicros, missing(quota, nowMicros));
    }

    @Override
    public long lastsMicros(Quota quota, long nowMicros) {
        long full = untilFullMicros(quota.windowMicros(), nowMicros);
        return leastMissing == null
                ? full
                : Math.max(full, LeastMissing.memoryMicros(quota) - sinceChangeMicros(nowMicros));
    }
}
