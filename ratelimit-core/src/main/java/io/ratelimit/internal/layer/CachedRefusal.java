package io.ratelimit.internal.layer;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import java.time.Duration;
import java.util.List;

/**
 * A refusal of the store that may be repeated.
 *
 * @param startNanos before the store was called
 * @param untilNanos until when it may be repeated
 * @param answeredNanos after the store answered
 */
record CachedRefusal(Decision decision, long startNanos, long untilNanos, long answeredNanos) {

    /** Returns the decision with its times reduced by the time that has passed since the answer. */
    Decision decisionAt(long nowNanos) {
        Duration since = Duration.ofNanos(Math.max(0, nowNanos - answeredNanos));
        List<LimitStatus> later =
                decision.limits().stream().map(status -> after(since, status)).toList();
        return new Decision(
                false, later, decision.source(), decision.decidedAt().plus(since));
    }

    private static LimitStatus after(Duration since, LimitStatus status) {
        return new LimitStatus(
                status.limit(),
                status.remaining(),
                lessBy(since, status.retryAfter()),
                lessBy(since, status.resetAfter()),
                status.shard(),
                lessBy(since, status.bannedFor()),
                status.decidedLater(),
                status.blocked());
    }

    private static Duration lessBy(Duration since, Duration time) {
        return time.compareTo(since) > 0 ? time.minus(since) : Duration.ZERO;
    }
}
