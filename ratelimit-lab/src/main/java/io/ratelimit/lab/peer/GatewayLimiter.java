package io.ratelimit.lab.peer;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.ratelimit.benchmarks.Resources;
import io.ratelimit.lab.Answer;
import io.ratelimit.lab.Limiter;
import io.ratelimit.lab.Setup;
import java.util.List;

/** Spring Cloud Gateway's own script with the keys and arguments it would have. Admits when Redis fails, as it does. */
public final class GatewayLimiter implements Limiter {

    private final StatefulRedisConnection<String, String> connection;
    private final String script = Resources.text("/META-INF/scripts/request_rate_limiter.lua");
    private final String sha;
    private final String[] args;

    public GatewayLimiter(Setup setup) {
        connection = setup.redis().connect();
        sha = connection.sync().digest(script);
        String perSecond =
                Long.toString(setup.rate().limit() * 1_000_000 / setup.rate().windowMicros());
        args = new String[] {perSecond, Long.toString(setup.rate().limit()), "", "1"};
    }

    @Override
    public Answer tryAcquire(String subject, long cost) {
        String prefix = "request_rate_limiter.{" + subject + "}.";
        try {
            return Answer.of(run(prefix + "tokens", prefix + "timestamp").get(0) == 1);
        } catch (RedisException failed) {
            return Answer.of(true);
        }
    }

    private List<Long> run(String... keys) {
        RedisCommands<String, String> redis = connection.sync();
        try {
            return redis.evalsha(sha, ScriptOutputType.MULTI, keys, args);
        } catch (RedisNoScriptException notLoaded) {
            return redis.eval(script, ScriptOutputType.MULTI, keys, args);
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
