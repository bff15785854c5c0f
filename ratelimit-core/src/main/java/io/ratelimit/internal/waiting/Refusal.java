package io.ratelimit.internal.waiting;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import java.time.Duration;

/**
 * What a refusal means for a call that may wait. Immutable.
 *
 * @param known the time after which the call is admitted if nobody else calls, as far as that is known: without the limits
 *     that may admit it at any time
 * @param banned whether a limit has banned the subject
 */
record Refusal(Duration known, boolean banned) {

    private static final Duration POLL = Duration.ofMillis(100);

    static Refusal of(Decision decision) {
        Duration known = Duration.ZERO;
        boolean banned = false;
        for (LimitStatus status : decision.refusing()) {
            banned |= status.banned();
            if (!status.limit().algorithm().isReleased() && status.retryAfter().compareTo(known) > 0) {
                known = status.retryAfter();
            }
        }
        return new Refusal(known, banned);
    }

    /** Returns whether the call may be admitted in the time that it has left. */
    boolean fits(Duration left) {
        return !banned && !left.isZero() && known.compareTo(left) <= 0;
    }

    /** Returns when to ask again. */
    Duration askAfter(Duration left) {
        Duration after = known.isZero() ? POLL : known;
        return after.compareTo(left) < 0 ? after : left;
    }
}
