package io.ratelimit.spring.internal.client;

import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Stages;
import io.ratelimit.spring.OutboundLimitExceededException;
import io.ratelimit.spring.internal.method.CallThreads;
import io.ratelimit.spring.internal.rule.CallCharges;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.OpenCall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;

/** A request to a partner: it is admitted before it is sent, and its answer may stop those after it. Thread-safe. */
final class OutboundCall {

    private static final Logger LOG = LoggerFactory.getLogger(OutboundCall.class);

    private final Remote remote;
    private final String subject;
    private final RateLimiter limiter;
    private final CallLimiter calls;

    OutboundCall(Remote remote, String subject, RateLimiter limiter, CallLimiter calls) {
        this.remote = remote;
        this.subject = subject;
        this.limiter = limiter;
        this.calls = calls;
    }

    /**
     * Charges the request, and waits for quota if need be, unless the thread must not block. Returns the decision that admits it.
     *
     * @throws OutboundLimitExceededException if it does not fit in time
     * @throws io.ratelimit.StoreUnavailableException if no store decided
     */
    Decision acquire() {
        CallCharges charges = CallThreads.mustNotBlock() ? charges().withMaxWait(Duration.ZERO) : charges();
        return checked(calls.decide(charges, new OpenCall()));
    }

    /** Does the same without blocking. Cancelling the future gives up the request, which is not charged then. */
    CompletableFuture<Decision> acquireAsync() {
        return calls.decideAsync(charges(), new OpenCall(), CallThreads::handOver);
    }

    /**
     * Returns the decision.
     *
     * @throws OutboundLimitExceededException if it refuses the request
     */
    Decision checked(Decision decision) {
        if (!decision.allowed()) {
            throw new OutboundLimitExceededException(remote.name(), decision);
        }
        return decision;
    }

    /**
     * Lowers what is left to what the answer says, until the time that it says: mostly to nothing. What is no more than that
     * already needs no round trip. Never fails, and waits for nothing.
     */
    void answered(int status, HttpHeaders headers, Decision decision) {
        try {
            RemoteAnswer.of(status, headers, Instant.now())
                    .left(remote.obeyed())
                    .ifPresent(left -> cap(left, status, decision));
        } catch (RuntimeException unreadable) {
            LOG.debug("client '{}': an answer was not understood", remote.name(), unreadable);
        }
    }

    private void cap(RemoteAnswer.Left left, int status, Decision decision) {
        List<Limit> limits = remote.limits().stream()
                .filter(limit -> left.remaining() == 0 || hasMore(limit, left.remaining(), decision))
                .toList();
        if (limits.isEmpty()) {
            return;
        }
        Duration length = left.reset().compareTo(remote.maxBlock()) < 0 ? left.reset() : remote.maxBlock();
        long remaining = left.remaining();
        LOG.debug("client '{}': {} left for {} after an answer with {}", remote.name(), remaining, length, status);
        for (Limit limit : limits) {
            Stages.call(() -> limiter.capAsync(limit, subject, remaining, length))
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            LOG.debug("client '{}': other instances do not know what is left", remote.name(), failure);
                        }
                    });
        }
    }

    /** Returns true also of a decision without an answer of any limit, as by {@code open}: what is left is not known then. */
    private static boolean hasMore(Limit limit, long remaining, Decision decision) {
        return decision.source() == Decision.Source.NONE
                || decision.limits().stream()
                        .anyMatch(
                                status -> status.limit().name().equals(limit.name()) && status.remaining() > remaining);
    }

    private CallCharges charges() {
        return new CallCharges(remote.acquisition(subject));
    }
}
