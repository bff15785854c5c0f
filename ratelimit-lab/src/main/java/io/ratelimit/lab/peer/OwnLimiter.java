package io.ratelimit.lab.peer;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.internal.Micros;
import io.ratelimit.lab.Answer;
import io.ratelimit.lab.Limiter;
import io.ratelimit.lab.Setup;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** This library as the starter builds it. The variant is an algorithm, and behind it {@code lease=10} or {@code shards=8}. */
public final class OwnLimiter implements Limiter {

    /** Longer than by default, so that a busy machine does not count as an outage. */
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** As the starter reconnects. */
    private static final Delay RECONNECT_DELAY =
            Delay.exponential(Duration.ZERO, Duration.ofMillis(200), 2, TimeUnit.MILLISECONDS);

    private final ClientResources resources;
    private final RedisClient client;
    private final RateLimiterStack limiter;
    private final Limit limit;

    public OwnLimiter(Setup setup) {
        resources = ClientResources.builder().reconnectDelay(RECONNECT_DELAY).build();
        client = RedisClient.create(resources, setup.redis().uri());
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .build());
        limiter = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .timeout(TIMEOUT)
                .build();
        String[] words = setup.variant().split("[ =]", -1);
        Limit plain = Limit.of(
                "lab",
                Algorithm.named(words[0]),
                setup.rate().limit(),
                setup.rate().window());
        limit = words.length == 1
                ? plain
                : words[1].equals("lease")
                        ? plain.withLease(Long.parseLong(words[2]))
                        : plain.withShards(Integer.parseInt(words[2]));
    }

    @Override
    public Answer tryAcquire(String subject, long cost) {
        Acquisition acquisition = Acquisition.of(limit, subject, cost);
        Decision decision = limiter.acquire(acquisition);
        Answer answer = Answer.of(decision.allowed(), ceilMicros(decision.retryAfter()))
                .settledBy(actual -> limiter.settle(acquisition, decision, actual));
        boolean saysWhen = decision.source() == Decision.Source.STORE && limit.lease() == 1;
        return saysWhen ? answer.decidedAt(Micros.of(decision.decidedAt())) : answer;
    }

    /** A refusal that the process remembers has a wait in ns. */
    private static long ceilMicros(Duration duration) {
        return (duration.toNanos() + 999) / 1_000;
    }

    @Override
    public void close() {
        limiter.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        resources.shutdown(0, 0, TimeUnit.MILLISECONDS);
    }
}
