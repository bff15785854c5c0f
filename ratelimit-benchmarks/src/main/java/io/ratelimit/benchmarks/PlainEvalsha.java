package io.ratelimit.benchmarks;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.ratelimit.Acquisition;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** This library's script without this library: one EVALSHA for each decision, made ready beforehand. */
final class PlainEvalsha implements AsyncContender {

    static final String NAME = "one EVALSHA per decision";

    private final StatefulRedisConnection<String, String> connection;
    private final RedisAsyncCommands<String, String> commands;
    private final WireTap tap = new WireTap();
    private final Map<String, EngineCall> calls = new ConcurrentHashMap<>();

    private PlainEvalsha(RedisSite redis) {
        connection = redis.connect();
        commands = connection.async();
    }

    static PlainEvalsha open(RedisSite redis) {
        try (OwnLimiter loadsTheScript = OwnLimiter.open(redis)) {
            loadsTheScript.tryAcquire("first");
        }
        return new PlainEvalsha(redis);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean tryAcquire(String subject) {
        return EngineCall.wasDecided(
                LettuceFutures.awaitOrCancel(callFor(subject).send(commands), 10, TimeUnit.SECONDS));
    }

    @Override
    public CompletionStage<Boolean> tryAcquireAsync(String subject) {
        return callFor(subject).send(commands).thenApply(EngineCall::wasDecided);
    }

    private EngineCall callFor(String subject) {
        EngineCall call = calls.get(subject);
        return call != null
                ? call
                : calls.computeIfAbsent(subject, name -> tap.callFor(Acquisition.of(Limits.AMPLE, name)));
    }

    @Override
    public void close() {
        tap.close();
        connection.close();
    }
}
