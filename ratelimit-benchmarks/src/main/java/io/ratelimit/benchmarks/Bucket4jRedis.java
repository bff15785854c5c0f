package io.ratelimit.benchmarks;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** Bucket4j on Lettuce, by compare-and-swap. A subject's proxy is kept, which batching needs and the default likes. */
final class Bucket4jRedis implements Contender {

    static final String DEFAULT = "Bucket4j, default";
    static final String BATCHING = "Bucket4j, batching";

    private final String name;
    private final StatefulRedisConnection<String, byte[]> connection;
    private final RemoteBucketBuilder<String> builder;
    private final BucketConfiguration configuration;
    private final Map<String, BucketProxy> buckets = new ConcurrentHashMap<>();

    private Bucket4jRedis(
            String name, RedisSite redis, long burst, UnaryOperator<RemoteBucketBuilder<String>> optimization) {
        this.name = name;
        this.connection = redis.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
        ProxyManager<String> manager =
                Bucket4jLettuce.casBasedBuilder(connection).build();
        this.builder = optimization.apply(manager.builder());
        this.configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(burst).refillGreedy(Limits.PER_SECOND, Duration.ofSeconds(1)))
                .build();
    }

    static Bucket4jRedis byDefault(RedisSite redis) {
        return byDefault(redis, Limits.BURST);
    }

    static Bucket4jRedis byDefault(RedisSite redis, long burst) {
        return new Bucket4jRedis(DEFAULT, redis, burst, UnaryOperator.identity());
    }

    static Bucket4jRedis batching(RedisSite redis) {
        return new Bucket4jRedis(
                BATCHING, redis, Limits.BURST, builder -> builder.withOptimization(Optimizations.batching()));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean tryAcquire(String subject) {
        BucketProxy bucket = buckets.get(subject);
        return (bucket != null ? bucket : buckets.computeIfAbsent(subject, this::bucket)).tryConsume(1);
    }

    private BucketProxy bucket(String subject) {
        return builder.build(name + ':' + subject, () -> configuration);
    }

    @Override
    public void close() {
        connection.close();
    }
}
