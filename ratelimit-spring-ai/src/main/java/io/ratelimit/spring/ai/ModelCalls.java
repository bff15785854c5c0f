package io.ratelimit.spring.ai;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.ai.ChargedLimit.Share;
import java.time.Duration;
import java.util.List;
import org.springframework.ai.chat.client.ChatClientRequest;

/** The settings that all calls of one advisor share. Immutable and thread-safe. */
record ModelCalls(
        RateLimiter limiter, List<ChargedLimit> limits, TokenCounter counter, Duration maxWait, MeterRegistry meters) {

    ModelCalls {
        limits = List.copyOf(limits);
    }

    /**
     * Returns the call that a request makes, which is not decided yet.
     *
     * @throws io.ratelimit.CostExceedsCapacityException if the estimate could never fit a limit
     */
    ModelCall start(ChatClientRequest request) {
        long prompt = counter.of(request.prompt());
        long estimate = prompt + counter.allowedOutput(request.prompt());
        List<Share> shares =
                limits.stream().map(limit -> limit.share(request, estimate)).toList();
        List<Charge> charges = shares.stream().map(Share::charge).toList();
        return new ModelCall(this, new Acquisition(charges).withMaxWait(maxWait), shares, prompt);
    }

    /** Counts a call whose charge stays as it was estimated, by the names that the starter's own meter has. */
    void unresolved(Limit limit, String reason) {
        Counter.builder("rate.limiter.unresolved")
                .tag("limit", limit.name())
                .tag("reason", reason)
                .register(meters)
                .increment();
    }
}
