package io.ratelimit.spring.ai;

import static io.ratelimit.spring.ai.TestModel.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.SettableClock;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.ai.chat.client.ChatClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Calls at once cannot pass a limit together. The numbers are those of LiteLLM's issue 18730: a limit of 100 tokens a minute,
 * and five calls at once that used 58, 80 and three times 175, 663 in all, because each was charged when it had ended.
 */
class CallsAtOnceTest {

    private static final int AT_ONCE = 5;
    private static final int[] USED = {58, 80, 175, 175, 175};

    private final Limit limit = Limit.of("tokens", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofMinutes(1));
    private final TestModel model = new TestModel();

    @ParameterizedTest
    @CsvSource({"58, false", "58, true", "20, false", "20, true"})
    void inMemory(int estimate, boolean streams) {
        fiveAtOnce(InMemoryRateLimiter.create(1_000, new SettableClock()), estimate, streams);
    }

    @ParameterizedTest
    @CsvSource({"58, false", "58, true"})
    void inRedis(int estimate, boolean streams) {
        RedisClient client = RedisClient.create(TestRedis.uri());
        try (RateLimiterStack limiter = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .keyPrefix("at-once-" + UUID.randomUUID())
                .timeout(Duration.ofSeconds(20))
                .build()) {
            fiveAtOnce(limiter, estimate, streams);
        } finally {
            client.shutdown();
        }
    }

    private void fiveAtOnce(RateLimiter limiter, int estimate, boolean streams) {
        ChatClient client = ChatClient.builder(model)
                .defaultAdvisors(TokenLimitAdvisor.builder(limiter)
                        .tokens(limit, "team")
                        .tokenCountEstimator(new Words())
                        .build())
                .build();
        CountDownLatch allDecided = new CountDownLatch(AT_ONCE);
        model.meanwhile = () -> arriveAndWait(allDecided);
        AtomicInteger refused = new AtomicInteger();
        LongAdder used = new LongAdder();
        LongAdder underestimated = new LongAdder();

        Flux.range(0, AT_ONCE)
                .flatMap(
                        number -> answered(client, "say:" + (USED[number] - 1), estimate - 1, streams)
                                .doOnSuccess(answer -> {
                                    used.add(USED[number]);
                                    underestimated.add(Math.max(0, USED[number] - estimate));
                                })
                                .onErrorResume(RateLimitExceededException.class, refusal -> {
                                    refused.incrementAndGet();
                                    allDecided.countDown();
                                    return Mono.empty();
                                })
                                .subscribeOn(Schedulers.boundedElastic()),
                        AT_ONCE)
                .blockLast();

        assertThat(AT_ONCE - refused.get()).isEqualTo(100 / estimate);
        assertThat(used.sum()).isLessThanOrEqualTo(100 + underestimated.sum());
    }

    private static Mono<String> answered(ChatClient client, String text, int maxTokens, boolean streams) {
        ChatClient.ChatClientRequestSpec call = client.prompt(prompt(text, maxTokens));
        return streams
                ? call.stream().content().then(Mono.just(""))
                : Mono.fromCallable(() -> call.call().chatResponse().toString());
    }

    /** Holds calls in the model until all are decided. */
    private static void arriveAndWait(CountDownLatch allDecided) {
        allDecided.countDown();
        try {
            allDecided.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
