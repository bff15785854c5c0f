package io.ratelimit.benchmarks;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The sliding-window log that most implementations keep: a sorted set with one member for each request. */
final class SortedSetLog implements AsyncContender {

    static final String NAME = "sorted-set log";

    private final StatefulRedisConnection<String, String> connection;
    private final RedisAsyncCommands<String, String> commands;
    private final AtomicLong requests = new AtomicLong();
    private final String sha;
    private final String max;
    private final String windowMicros;

    private SortedSetLog(RedisSite redis, long max, Duration window) {
        connection = redis.connect();
        commands = connection.async();
        sha = redis.commands().scriptLoad(Resources.text("/io/ratelimit/benchmarks/sorted-set-log.lua"));
        this.max = Long.toString(max);
        this.windowMicros = Long.toString(window.toNanos() / 1_000);
    }

    static SortedSetLog open(RedisSite redis) {
        return open(redis, Limits.BURST, Duration.ofSeconds(1));
    }

    static SortedSetLog open(RedisSite redis, long max, Duration window) {
        return new SortedSetLog(redis, max, window);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean tryAcquire(String subject) {
        return tryAcquire(subject, 1);
    }

    boolean tryAcquire(String subject, long cost) {
        return LettuceFutures.awaitOrCancel(send(subject, cost), 10, TimeUnit.SECONDS) == 1;
    }

    @Override
    public CompletionStage<Boolean> tryAcquireAsync(String subject) {
        return send(subject, 1).thenApply(admitted -> admitted == 1);
    }

    private RedisFuture<Long> send(String subject, long cost) {
        return commands.evalsha(
                sha,
                ScriptOutputType.INTEGER,
                new String[] {"sorted-set-log:" + subject},
                max,
                windowMicros,
                Long.toString(cost),
                Long.toString(requests.incrementAndGet()));
    }

    @Override
    public void close() {
        connection.close();
    }
}
