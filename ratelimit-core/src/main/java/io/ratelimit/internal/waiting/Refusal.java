package io.ratelimit.internal.waiting;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.Micros;
import java.time.Duration;
import java.util.function.LongUnaryOperator;

/**
 * What a refusal means for a call that may wait. Immutable.
 *
 * @param known time until the call is admitted if nobody else calls; ignores limits that may admit it at any time
 * @param banned whether a limit has banned the subject
 * @param local whether this process refused because the store did not answer: such a refusal ends with the outage
 * @param blockedWindow the longest window of the limits that are blocked, for all processes until the same moment; zero if none is
 */
record Refusal(Duration known, boolean banned, boolean local, Duration blockedWindow) {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration POLL_IN_OUTAGE = Duration.ofSeconds(1);
    private static final Duration LONGEST_SPREAD = Duration.ofSeconds(1);

    static Refusal of(Decision decision) {
        Duration known = Duration.ZERO;
        boolean banned = false;
        Duration blockedWindow = Duration.ZERO;
        for (LimitStatus status : decision.refusing()) {
            banned |= status.banned();
            if (status.blocked()) {
                blockedWindow = Micros.longer(blockedWindow, status.limit().windowSize());
            }
            if ((status.blocked() || !status.limit().algorithm().isReleased())
                    && status.retryAfter().compareTo(known) > 0) {
                known = status.retryAfter();
            }
        }
        return new Refusal(known, banned, decision.source() == Decision.Source.LOCAL, blockedWindow);
    }

    /** Returns whether the call may be admitted in the time that it has left. */
    boolean fits(Duration left) {
        return !banned && !left.isZero() && known.compareTo(left) <= 0;
    }

    /**
     * Returns the time until the call may be admitted at the earliest, or the time that it has left if that is shorter.
     */
    Duration admittedAfter(Duration left) {
        return Micros.shorter(known.isZero() ? POLL : known, left);
    }

    /**
     * Returns the time until the next attempt.
     *
     * @param spread returns how much later than a block's end that is, of that many ns at most
     */
    Duration nextAttemptAfter(Duration left, LongUnaryOperator spread) {
        Duration after = admittedAfter(left);
        if (!blockedWindow.isZero()) {
            long most = Micros.shorter(Micros.longer(after, blockedWindow).dividedBy(10), LONGEST_SPREAD)
                    .toNanos();
            after = Micros.shorter(after.plusNanos(spread.applyAsLong(most)), left);
        }
        return local ? Micros.shorter(after, POLL_IN_OUTAGE) : after;
    }
}
