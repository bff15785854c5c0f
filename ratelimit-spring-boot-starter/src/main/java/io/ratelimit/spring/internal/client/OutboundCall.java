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
     * Charges the request, and waits for quota if need be.
     *
     * @throws OutboundLimitExceededException if it does not fit in time
     * @throws io.ratelimit.StoreUnavailableException if no store decided
     */
    void acquire() {
        check(calls.decide(charges(), new OpenCall()));
    }

    /** Does the same without blocking. Cancelling the future gives up the request, which is not charged then. */
    CompletableFuture<Decision> acquireAsync() {
        return calls.decideAsync(charges(), new OpenCall(), CallThreads::handOver);
    }

    /** @throws OutboundLimitExceededException if the decision refuses the request */
    void check(Decision decision) {
        if (!decision.allowed()) {
            throw new OutboundLimitExceededException(remote.name(), decision);
        }
    }

    /** Stops all requests for as long as the answer asks for. Never fails, and waits for nothing. */
    void answered(int status, HttpHeaders headers) {
        try {
            Duration asked = RemoteAnswer.of(status, headers, Instant.now()).wait(remote.obeyed());
            if (!asked.isZero()) {
                block(asked.compareTo(remote.maxBlock()) < 0 ? asked : remote.maxBlock(), status);
            }
        } catch (RuntimeException unreadable) {
            LOG.debug("client '{}': an answer was not understood", remote.name(), unreadable);
        }
    }

    private void block(Duration length, int status) {
        LOG.debug("client '{}' stops for {} after an answer with status {}", remote.name(), length, status);
        for (Limit limit : remote.limits()) {
            Stages.call(() -> limiter.blockAsync(limit, subject, length)).whenComplete((done, failure) -> {
                if (failure != null) {
                    LOG.debug("client '{}': other instances do not know that it stops", remote.name(), failure);
                }
            });
        }
    }

    private CallCharges charges() {
        return new CallCharges(remote.acquisition(subject));
    }
}
