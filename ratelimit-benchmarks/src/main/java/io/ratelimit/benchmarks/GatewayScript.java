package io.ratelimit.benchmarks;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Spring Cloud Gateway's token bucket: its own script, with the keys and arguments it would have, without the rest. */
final class GatewayScript implements AsyncContender {

    static final String NAME = "Spring Cloud Gateway's script";
    static final String FILE = "/META-INF/scripts/request_rate_limiter.lua";

    private final StatefulRedisConnection<String, String> connection;
    private final RedisAsyncCommands<String, String> commands;
    private final String sha;
    private final String[] args;

    private GatewayScript(RedisSite redis, long perSecond, long burst) {
        connection = redis.connect();
        commands = connection.async();
        sha = redis.commands().scriptLoad(Resources.text(FILE));
        args = new String[] {Long.toString(perSecond), Long.toString(burst), "", "1"};
    }

    static GatewayScript open(RedisSite redis) {
        return open(redis, Limits.PER_SECOND, Limits.BURST);
    }

    static GatewayScript open(RedisSite redis, long perSecond, long burst) {
        return new GatewayScript(redis, perSecond, burst);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean tryAcquire(String subject) {
        return isAllowed(LettuceFutures.awaitOrCancel(send(subject), 10, TimeUnit.SECONDS));
    }

    @Override
    public CompletionStage<Boolean> tryAcquireAsync(String subject) {
        return send(subject).thenApply(GatewayScript::isAllowed);
    }

    private RedisFuture<List<Long>> send(String subject) {
        return commands.evalsha(sha, ScriptOutputType.MULTI, keys(subject).toArray(String[]::new), args);
    }

    static List<String> keys(String subject) {
        String prefix = "request_rate_limiter.{" + subject + "}.";
        return List.of(prefix + "tokens", prefix + "timestamp");
    }

    private static boolean isAllowed(List<Long> reply) {
        return reply.get(0) == 1;
    }

    @Override
    public void close() {
        connection.close();
    }
}
