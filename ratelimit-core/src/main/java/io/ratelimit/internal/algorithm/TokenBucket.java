package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;
import io.ratelimit.internal.MulDiv;

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
 * until one takes tokens. A debt is at most what refills in the longer of W and the time that an empty bucket needs, rounded
 * up to whole tokens; what exceeds that is not counted. The call that left it has then left every stretch of W. Nothing is
 * given back to a call that may be older than such a debt until that is refilled, because it would have to be set off
 * against what was not counted.
 *
 * <p>Nothing is given back to a full bucket, and so nothing of it remembered: it may be forgotten at any time, with its rates.
 *
 * <p>What is given back late is reduced by what would have run over meanwhile, had it never been taken. If resetAfter was
 * R when a cost worth w was taken, then without it the bucket would have been full R - w later. Only from then on tokens run
 * over. Calls made since can only delay that. But what was given back since may have been missing in R. So the bucket
 * remembers what it gave back, and forgets of it in t what t is of F, which is W or ten minutes: if it remembers g now, and
 * remembered h when the cost was taken, t ago, it has given back g F / (F - t) - h since at most. Nothing is reduced by more than
 * t, and what took longer than half of F by that. Quotas of other rates that took tokens and were refilled since are not known:
 * beside a faster one, a call may get back too much.
 *
 * <p>State: the time of the last change, what was missing then, the rate that wrote it, in how much time what was given back
 * refills, as far as that was remembered then, and what is beyond the bucket.
 */
public final class TokenBucket extends MissingTokens implements Tally {

    /**
     * The most that is remembered of what was given back; it stands for any amount above it, too. A sum of this and the longest
     * resetAfter is exact as a double.
     */
    private static final long MOST_GIVEN_BACK_MICROS = 1L << 51;

    private static final long LONGEST_MEMORY_MICROS = 600_000_000;

    /** The most by which rounding makes a resetAfter and what is given back together too large. */
    private static final long ROUNDED_MICROS = 2;

    private long givenBackMicros;

    @Override
    public long now(Quota quota, long clockMicros) {
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
        Tokens own = missing(quota, nowMicros);
        Tokens taken = own.plus(cost).atMost(whole(quota));
        replace(quota, nowMicros, taken, all(quota, nowMicros, own).plus(cost));
    }

    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {
        long sinceMicros = nowMicros - takenAtMicros;
        Tokens own = missing(quota, nowMicros);
        if (more > 0) {
            long added = Math.min(more, quota.capacity() + largestDebt(quota).whole() - own.whole());
            replace(
                    quota,
                    nowMicros,
                    own.plus(added),
                    all(quota, nowMicros, own).plus(added));
        } else if (sinceMicros >= 0 && !isAfterTheLargestDebt(quota, own, sinceMicros)) {
            giveBack(quota, nowMicros, -more, sinceMicros, resetAfterMicros);
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
    private void giveBack(Quota quota, long nowMicros, long cost, long sinceMicros, long foundMicros) {
        Tokens own = missing(quota, nowMicros);
        Tokens all = all(quota, nowMicros, own);
        if (!all.exceeds(0)) {
            return;
        }
        long window = quota.windowMicros();
        long worth = MulDiv.floorDiv(cost, window, quota.maxRequests());
        long keeps = keepsMicros(quota, nowMicros, sinceMicros, foundMicros);
        long lost = Math.max(0, sinceMicros - Math.max(0, keeps - worth));
        long fastest = Math.max(quota.maxRequests(), fastest());
        Tokens given = new Tokens(cost, 0).minus(Tokens.refilled(fastest, lost, window), window);
        if (given.exceeds(0)) {
            replace(quota, nowMicros, own.minus(given, window), all.minus(given, window));
            givenBackMicros = Math.min(givenBackMicros + worth - lost + 1, MOST_GIVEN_BACK_MICROS);
        }
    }

    /**
     * Returns how long after its decision the bucket would have been full without what was given back since, at least. While more
     * than half of the most is remembered, there may have been more than the most since.
     */
    private long keepsMicros(Quota quota, long nowMicros, long sinceMicros, long foundMicros) {
        long forgets = forgetsMicros(quota);
        long known = givenBackMicros(quota, nowMicros);
        return 2 * sinceMicros <= forgets && known < MOST_GIVEN_BACK_MICROS / 2
                ? foundMicros - ROUNDED_MICROS - MulDiv.ceilDiv(known, forgets, forgets - sinceMicros)
                : 0;
    }

    private void replace(Quota quota, long nowMicros, Tokens own, Tokens all) {
        givenBackMicros = givenBackMicros(quota, nowMicros);
        change(quota, nowMicros, own, all);
    }

    @Override
    public long givenBackMicros(Quota quota, long nowMicros) {
        long forgets = forgetsMicros(quota);
        long since = sinceChangeMicros(nowMicros);
        return since < forgets ? MulDiv.ceilDiv(givenBackMicros, forgets - since, forgets) : 0;
    }

    /** Returns in how much time without a change what was given back is forgotten. */
    private static long forgetsMicros(Quota quota) {
        return Math.min(quota.windowMicros(), LONGEST_MEMORY_MICROS);
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
        return givenBackMicros == 0 ? full : Math.max(full, forgetsMicros(quota) - sinceChangeMicros(nowMicros));
    }
}
