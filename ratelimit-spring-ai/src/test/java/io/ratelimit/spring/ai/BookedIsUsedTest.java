package io.ratelimit.spring.ai;

import static io.ratelimit.spring.ai.TestModel.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.SettableClock;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.prompt.Prompt;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** However calls end, what is booked in the end is what they used. */
class BookedIsUsedTest {

    private static final int AT_ONCE = 16;
    private static final int TENANTS = 5;

    private final Limit requests = Limit.of("requests", Algorithm.TOKEN_BUCKET, 40, Duration.ofSeconds(1));
    private final Limit ofTenant = Limit.of("tenant-budget", Algorithm.FIXED_WINDOW, 5_000_000, Duration.ofDays(30));
    private final Limit ofAll = Limit.of("budget", Algorithm.FIXED_WINDOW, 20_000_000, Duration.ofDays(30));

    private final TestModel model = new TestModel();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final SeededRandom random = SeededRandom.of("BookedIsUsedTest");
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger withoutUsage = new AtomicInteger();
    private final Map<String, LongAdder> used = new ConcurrentHashMap<>();

    /** One call: which tenant makes it, what it asks, and how it ends. */
    private record Ask(String tenant, Prompt prompt, End end, int seen) {}

    private enum End {
        CALL(""),
        CALL_WITHOUT_USAGE("then:silent"),
        CALL_FAILS("then:fail"),
        STREAM(""),
        STREAM_WITHOUT_USAGE("then:silent"),
        STREAM_FAILS("then:fail"),
        STREAM_CANCELLED(""),
        /** By another thread than the one that delivers. */
        STREAM_LEFT("then:hang");

        private final String instruction;

        End(String instruction) {
            this.instruction = instruction;
        }
    }

    @Test
    void inMemory() {
        SettableClock clock = new SettableClock();
        RateLimiter limiter = InMemoryRateLimiter.create(1_000, clock);

        long startMicros = clock.nowMicros();

        play(limiter, 10_000, ask -> clock.advance(Duration.ofMillis(random.between(0, 6))));

        long refilled = requests.maxRequests() * (clock.nowMicros() - startMicros) / 1_000_000;
        long most = TENANTS * (requests.capacity() + refilled); // about 6,200
        assertThat(refused.get()).isBetween((int) (10_000 - most), 9_000);
    }

    @Test
    void inRedis() {
        RedisClient client = RedisClient.create(TestRedis.uri());
        try (RateLimiterStack limiter = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .keyPrefix("booked-" + UUID.randomUUID())
                .timeout(Duration.ofSeconds(20))
                .build()) {
            play(limiter, 500, ask -> {});
        } finally {
            client.shutdown();
        }
    }

    /** Estimates and uses are all 0 here but the allowed output, so that a call that is left at any moment leaves nothing. */
    @Test
    void aStreamThatIsLeftAtAnyMomentLeavesNothing() {
        RateLimiter limiter = InMemoryRateLimiter.create(1_000, new SettableClock());
        ChatClient client = client(limiter, new Words() {
            @Override
            public int estimate(String text) {
                return 0;
            }
        });
        for (int i = 0; i < 500; i++) {
            Disposable caller =
                    client.prompt(prompt("then:hang", 10)).advisors(advisor -> advisor.param("tenant", "acme")).stream()
                            .chatResponse()
                            .subscribe();
            long until = System.nanoTime() + random.between(0, 200_000);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            caller.dispose();
        }
        await().untilAsserted(() -> assertThat(booked(limiter, ofAll, "global")).isZero());
    }

    private void play(RateLimiter limiter, int calls, Consumer<Ask> before) {
        ChatClient client = client(limiter, new Words());
        Flux.range(0, calls)
                .map(number -> ask())
                .doOnNext(before)
                .flatMap(ask -> made(client, ask).subscribeOn(Schedulers.boundedElastic()), AT_ONCE)
                .blockLast();

        await().untilAsserted(() -> {
            assertThat(used.keySet())
                    .allSatisfy(tenant -> assertThat(booked(limiter, ofTenant, tenant))
                            .isEqualTo(used.get(tenant).sum()));
            assertThat(booked(limiter, ofAll, "global"))
                    .isEqualTo(used.values().stream().mapToLong(LongAdder::sum).sum());
            assertThat(meters.get("rate.limiter.unresolved")
                            .tag("limit", "budget")
                            .counter()
                            .count())
                    .isEqualTo(withoutUsage.get());
        });
    }

    private Ask ask() {
        End end = random.oneOf(End.values());
        int words = (int) random.between(end == End.STREAM_CANCELLED || end == End.STREAM_LEFT ? 1 : 0, 30);
        String text = "please ".repeat((int) random.between(0, 20)) + "say:" + words + " " + end.instruction;
        int maxTokens = (int) random.between(1, 40); // often too few, so that settling charges more
        return new Ask(
                "tenant-" + random.between(1, TENANTS),
                prompt(text, maxTokens),
                end,
                end == End.STREAM_CANCELLED ? (int) random.between(1, words) : words);
    }

    /** Makes the call, and notes what it used once it has ended. */
    private Mono<Void> made(ChatClient client, Ask ask) {
        ChatClient.ChatClientRequestSpec call =
                client.prompt(ask.prompt).advisors(advisor -> advisor.param("tenant", ask.tenant));
        int prompt = TestModel.tokens(ask.prompt);
        int estimate = prompt + ask.prompt.getOptions().getMaxTokens();
        Mono<?> ended = switch (ask.end) {
            case CALL, CALL_WITHOUT_USAGE, CALL_FAILS ->
                Mono.fromCallable(() -> call.call().chatResponse());
            case STREAM, STREAM_WITHOUT_USAGE, STREAM_FAILS ->
                call.stream().chatResponse().then(Mono.just(""));
            case STREAM_CANCELLED -> call.stream().chatResponse().take(ask.seen).then(Mono.just(""));
            case STREAM_LEFT -> leftAfter(ask.seen, call.stream().chatResponse());
        };
        int cost = switch (ask.end) {
            case CALL, STREAM -> prompt + ask.seen;
            case CALL_WITHOUT_USAGE, STREAM_WITHOUT_USAGE -> estimate;
            case CALL_FAILS -> 0;
            case STREAM_FAILS -> ask.seen == 0 ? 0 : prompt + ask.seen;
            case STREAM_CANCELLED, STREAM_LEFT -> prompt + ask.seen;
        };
        return ended.doOnSuccess(answer -> note(ask, cost))
                .onErrorResume(RateLimitExceededException.class, refusal -> {
                    refused.incrementAndGet();
                    return Mono.empty();
                })
                .onErrorResume(TestModel.Overloaded.class, failure -> {
                    note(ask, cost);
                    return Mono.empty();
                })
                .then();
    }

    private void note(Ask ask, int cost) {
        used.computeIfAbsent(ask.tenant, tenant -> new LongAdder()).add(cost);
        if (ask.end == End.CALL_WITHOUT_USAGE || ask.end == End.STREAM_WITHOUT_USAGE) {
            withoutUsage.incrementAndGet();
        }
    }

    /** Cancels from another thread, once so many parts have arrived. */
    private static <T> Mono<String> leftAfter(int parts, Flux<T> stream) {
        AtomicInteger seen = new AtomicInteger();
        return stream.doOnNext(part -> seen.incrementAndGet())
                .then(Mono.just(""))
                .takeUntilOther(Flux.interval(Duration.ofMillis(1)).filter(tick -> seen.get() == parts))
                .defaultIfEmpty("");
    }

    private ChatClient client(RateLimiter limiter, Words words) {
        return ChatClient.builder(model)
                .defaultAdvisors(TokenLimitAdvisor.builder(limiter)
                        .requests(requests, BookedIsUsedTest::tenant)
                        .tokens(ofTenant, BookedIsUsedTest::tenant)
                        .tokens(ofAll, "global")
                        .tokenCountEstimator(words)
                        .meterRegistry(meters)
                        .build())
                .build();
    }

    private static String tenant(ChatClientRequest request) {
        return (String) request.context().get("tenant");
    }

    private static long booked(RateLimiter limiter, Limit limit, String subject) {
        return limit.capacity() - limiter.peek(Acquisition.of(limit, subject)).remaining();
    }
}
