package io.ratelimit.lab.peer;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.ratelimit.lab.Answer;
import io.ratelimit.lab.Limiter;
import io.ratelimit.lab.Setup;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Bucket4j on Redis through Lettuce, by compare-and-swap, with greedy refill and the expiration that its pages show. */
public final class Bucket4jLimiter implements Limiter {

    private final StatefulRedisConnection<String, byte[]> connection;
    private final ProxyManager<String> manager;
    private final BucketConfiguration configuration;
    private final Map<String, BucketProxy> buckets = new ConcurrentHashMap<>();

    public Bucket4jLimiter(Setup setup) {
        connection = setup.redis().connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
        manager = Bucket4jLettuce.casBasedBuilder(connection)
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(10)))
                .build();
        long limit = setup.rate().limit();
        configuration = BucketConfiguration.builder()
                .addLimit(bandwidth -> bandwidth
                        .capacity(limit)
                        .refillGreedy(limit, setup.rate().window()))
                .build();
    }

    @Override
    public Answer tryAcquire(String subject, long cost) {
        BucketProxy bucket = buckets.computeIfAbsent(
                subject, name -> manager.builder().build("bucket4j:" + name, () -> configuration));
        ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(cost);
        return Answer.of(probe.isConsumed(), probe.getNanosToWaitForRefill() / 1_000)
                .settledBy(actual -> settle(bucket, cost, actual));
    }

    private static void settle(BucketProxy bucket, long charged, long actual) {
        if (actual > charged) {
            bucket.consumeIgnoringRateLimits(actual - charged);
        } else if (actual < charged) {
            bucket.addTokens(charged - actual);
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
