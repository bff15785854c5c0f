package io.ratelimit.benchmarks;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.List;

/** One EVALSHA of this library's engine script, as {@link WireTap} heard it. */
final class EngineCall {

    /** It is sent again and again, long after the caller that the library had in mind would have gone. */
    private static final String NO_DEADLINE = "0";

    private final String sha;
    private final String[] keys;
    private final String[] args;

    EngineCall(String sha, String[] keys, String[] args) {
        this.sha = sha;
        this.keys = keys;
        this.args = args.clone();
        this.args[0] = NO_DEADLINE;
    }

    RedisFuture<List<Long>> send(RedisAsyncCommands<String, String> commands) {
        return commands.evalsha(sha, ScriptOutputType.MULTI, keys, args);
    }

    /** Whether the engine decided at all. What it decided is for this library to read. */
    static boolean wasDecided(List<Long> reply) {
        return reply.size() > 2;
    }
}
