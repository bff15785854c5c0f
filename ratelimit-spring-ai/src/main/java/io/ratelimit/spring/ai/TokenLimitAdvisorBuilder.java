package io.ratelimit.spring.ai;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.tokenizer.JTokkitTokenCountEstimator;
import org.springframework.ai.tokenizer.TokenCountEstimator;

/** Settings of a {@link TokenLimitAdvisor}, from {@link TokenLimitAdvisor#builder}. Not thread-safe. */
public final class TokenLimitAdvisorBuilder {

    private static final int DEFAULT_OUTPUT_TOKENS = 1_000;

    private final RateLimiter limiter;
    private final List<ChargedLimit> limits = new ArrayList<>();
    private @Nullable TokenCountEstimator estimator;
    private int outputTokens = DEFAULT_OUTPUT_TOKENS;
    private Duration maxWait = Duration.ZERO;
    private int order = TokenLimitAdvisor.DEFAULT_ORDER;
    private MeterRegistry meters = Metrics.globalRegistry;

    TokenLimitAdvisorBuilder(RateLimiter limiter) {
        this.limiter = limiter;
    }

    /**
     * Charges this limit 1 for each call, for all calls together under one subject.
     *
     * @throws IllegalArgumentException if the limit counts elements
     */
    public TokenLimitAdvisorBuilder requests(Limit limit, String subject) {
        return requests(limit, request -> subject);
    }

    /**
     * Charges this limit 1 for each call, under the subject of the call. A limit of {@code concurrency} is free again when the
     * call ends.
     *
     * @param subject such as {@code request -> (String) request.context().get("tenant")}, for calls with
     *     {@code advisors(advisor -> advisor.param("tenant", "acme"))}
     * @throws IllegalArgumentException if the limit counts elements
     */
    public TokenLimitAdvisorBuilder requests(Limit limit, Function<ChatClientRequest, String> subject) {
        if (limit.algorithm().countsElements()) {
            throw new IllegalArgumentException(
                    "limit '%s' of %s cannot count requests: it counts elements, so use another algorithm"
                            .formatted(limit.name(), limit.algorithm().label()));
        }
        limits.add(new ChargedLimit(limit, subject, false));
        return this;
    }

    /**
     * Charges this limit the tokens of each call, for all calls together under one subject.
     *
     * @throws IllegalArgumentException if the limit counts elements or calls in flight
     */
    public TokenLimitAdvisorBuilder tokens(Limit limit, String subject) {
        return tokens(limit, request -> subject);
    }

    /**
     * Charges this limit the tokens of each call, under the subject of the call.
     *
     * @param subject as in {@link #requests(Limit, Function)}
     * @throws IllegalArgumentException if the limit counts elements or calls in flight
     */
    public TokenLimitAdvisorBuilder tokens(Limit limit, Function<ChatClientRequest, String> subject) {
        if (!limit.algorithm().countsCosts()) {
            throw new IllegalArgumentException(
                    "limit '%s' of %s cannot count tokens: use an algorithm that counts costs"
                            .formatted(limit.name(), limit.algorithm().label()));
        }
        limits.add(new ChargedLimit(limit, subject, true));
        return this;
    }

    /**
     * Sets how many tokens an answer is expected to have at most where the options of the prompt have no {@code maxTokens};
     * 1,000 by default.
     *
     * @throws IllegalArgumentException if it is below 0
     */
    public TokenLimitAdvisorBuilder outputTokens(int outputTokens) {
        if (outputTokens < 0) {
            throw new IllegalArgumentException("output tokens '%d' must be at least 0".formatted(outputTokens));
        }
        this.outputTokens = outputTokens;
        return this;
    }

    /**
     * Sets what counts the tokens of prompts, and of answers that end without usage. By default it is Spring AI's
     * {@link JTokkitTokenCountEstimator}, which takes about a second to load.
     */
    public TokenLimitAdvisorBuilder tokenCountEstimator(TokenCountEstimator estimator) {
        this.estimator = estimator;
        return this;
    }

    /**
     * Sets how long a call may wait until it fits, as {@link RateLimiter#acquire(Acquisition, Duration)} does; zero by default,
     * so that a call that does not fit is refused at once.
     *
     * @throws IllegalArgumentException from {@link #build} if it is below 0 or above a day
     */
    public TokenLimitAdvisorBuilder maxWait(Duration maxWait) {
        this.maxWait = maxWait;
        return this;
    }

    /** Sets the place in the chain of advisors, {@link TokenLimitAdvisor#DEFAULT_ORDER} by default. */
    public TokenLimitAdvisorBuilder order(int order) {
        this.order = order;
        return this;
    }

    /** Sets where calls of unknown usage are counted, in Micrometer's global registry by default. */
    public TokenLimitAdvisorBuilder meterRegistry(MeterRegistry meters) {
        this.meters = meters;
        return this;
    }

    /**
     * Builds the advisor.
     *
     * @throws IllegalArgumentException if no limit was added, or {@link #maxWait} is below 0 or above a day
     */
    public TokenLimitAdvisor build() {
        if (limits.isEmpty()) {
            throw new IllegalArgumentException(
                    "a token limit advisor needs a limit: add one by requests() or tokens()");
        }
        Acquisition.of(limits.get(0).limit(), "any").withMaxWait(maxWait); // checks it now, and not at the first call
        TokenCounter counter =
                new TokenCounter(estimator == null ? new JTokkitTokenCountEstimator() : estimator, outputTokens);
        return new TokenLimitAdvisor(new ModelCalls(limiter, limits, counter, maxWait, meters), order);
    }
}
