package io.ratelimit.spring.ai;

import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.api.CallAdvisor;
import org.springframework.ai.chat.client.advisor.api.CallAdvisorChain;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisor;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisorChain;
import org.springframework.core.Ordered;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;

/**
 * Limits calls of a {@code ChatClient}, by requests and by tokens. Before the model is called, all limits are charged or none
 * is: a request, and as many tokens as the prompt has and the answer may have. When the call ends, the tokens are corrected
 * to what it used. Immutable and thread-safe.
 *
 * <pre>{@code
 * ChatClient client = ChatClient.builder(model)
 *         .defaultAdvisors(TokenLimitAdvisor.builder(rateLimiter)
 *                 .requests(requestsPerMinute, "global")
 *                 .tokens(tokensPerMinute, "global")
 *                 .build())
 *         .build();
 * }</pre>
 *
 * <p>Example: 1,000 tokens a minute. A prompt of 50 tokens with {@code maxTokens} 300 takes 350, and 650 remain while the model
 * answers. The usage of its answer says 50 and 120 tokens, and 830 remain.
 *
 * <p>A call that does not fit ends with {@link RateLimitExceededException}, whose decision has the {@code retryAfter}, before
 * the model is called: {@code call()} throws it, and {@code stream()} emits it as an error, without blocking. It may also end
 * with {@link io.ratelimit.StoreUnavailableException}, as {@link RateLimiter#acquire} does, or with
 * {@link io.ratelimit.CostExceedsCapacityException} if the estimate could never fit a limit.
 *
 * <p>A call that ends
 *
 * <ul>
 *   <li>with its usage, in a stream the last that its parts report, cost that usage;
 *   <li>without usage cost the estimate, and the meter {@code rate.limiter.unresolved} counts it, with the reason
 *       {@code actual-cost};
 *   <li>because its stream is cancelled, or fails after its first text, cost the prompt and the text so far, as counted here,
 *       or the usage so far if that is more;
 *   <li>with a failure before any text cost no tokens.
 * </ul>
 *
 * <p>The request stays counted in any case, because the provider counts it, too. Each time that the chain of advisors comes to
 * this one is a call: see {@link #DEFAULT_ORDER}.
 */
public final class TokenLimitAdvisor implements CallAdvisor, StreamAdvisor {

    /**
     * The order unless said otherwise: the last before the model, so that what other advisors add to the prompt is counted, and
     * each round of a tool loop that is an advisor, and each repetition by one, is a call of its own. With an order below that
     * of the tool loop, all of its rounds together are one call. Spring AI 1.1 reports only the usage of the last round then, so that
     * such an order is for limits of requests; 2.0 reports that of all.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    private final ModelCalls calls;
    private final int order;

    TokenLimitAdvisor(ModelCalls calls, int order) {
        this.calls = calls;
        this.order = order;
    }

    /** Returns a builder of an advisor that charges limits of this limiter. */
    public static TokenLimitAdvisorBuilder builder(RateLimiter limiter) {
        return new TokenLimitAdvisorBuilder(limiter);
    }

    @Override
    public ChatClientResponse adviseCall(ChatClientRequest request, CallAdvisorChain chain) {
        ModelCall call = calls.start(request);
        call.begin(call.decide());
        ChatClientResponse response;
        try {
            response = chain.nextCall(request);
            call.see(response);
        } catch (Throwable failure) {
            call.fail();
            throw failure;
        }
        call.complete();
        return response;
    }

    /** Counts, and subscribes to the model, on Reactor's threads for work that may block, as other advisors do. */
    @Override
    public Flux<ChatClientResponse> adviseStream(ChatClientRequest request, StreamAdvisorChain chain) {
        return Mono.fromCallable(() -> calls.start(request))
                .subscribeOn(Schedulers.boundedElastic())
                .flatMapMany(call -> Mono.fromFuture(call::decideAsync)
                        .publishOn(Schedulers.boundedElastic())
                        .flatMapMany(decision -> goOn(call, decision, request, chain))
                        .doOnNext(call::see)
                        .doOnComplete(call::complete)
                        .doOnError(failure -> call.fail())
                        .doFinally(signal -> {
                            if (signal == SignalType.CANCEL) { // the model knows it by now
                                call.cancel();
                            }
                        }));
    }

    private static Flux<ChatClientResponse> goOn(
            ModelCall call, Decision decision, ChatClientRequest request, StreamAdvisorChain chain) {
        return call.begin(decision) ? chain.nextStream(request) : Flux.empty();
    }

    @Override
    public String getName() {
        return getClass().getSimpleName();
    }

    @Override
    public int getOrder() {
        return order;
    }
}
