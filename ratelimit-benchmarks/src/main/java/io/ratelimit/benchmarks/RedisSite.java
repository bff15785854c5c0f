package io.ratelimit.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.ratelimit.testing.RedisProcess;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Redis that everything is measured on, started for it, and one Lettuce client for all that use Lettuce. */
final class RedisSite implements AutoCloseable {

    private final RedisProcess process = RedisProcess.start();
    private final RedisClient client = RedisClient.create(process.uri());
    private final RedisCommands<String, String> commands = client.connect().sync();

    String uri() {
        return process.uri();
    }

    /** A connection of the contender's own, which all its threads share. */
    StatefulRedisConnection<String, String> connect() {
        return client.connect(StringCodec.UTF8);
    }

    <V> StatefulRedisConnection<String, V> connect(RedisCodec<String, V> codec) {
        return client.connect(codec);
    }

    RedisCommands<String, String> commands() {
        return commands;
    }

    String version() {
        return field(commands.info("server"), "redis_version:(\\S+)");
    }

    /** Time that Redis has spent in EVALSHA since {@link #forgetStatistics}, in µs. */
    double microsInScripts() {
        return Double.parseDouble(field(commands.info("commandstats"), "cmdstat_evalsha:calls=\\d+,usec=(\\d+)"));
    }

    /** How often Redis was asked to run a script since {@link #forgetStatistics}. */
    double scriptCalls() {
        String stats = commands.info("commandstats");
        return stats.contains("cmdstat_evalsha:")
                ? Double.parseDouble(field(stats, "cmdstat_evalsha:calls=(\\d+)"))
                : 0;
    }

    /** How many changes Redis has made to its data since it last saved it. */
    long changes() {
        return Long.parseLong(field(commands.info("persistence"), "rdb_changes_since_last_save:(\\d+)"));
    }

    void forgetStatistics() {
        commands.configResetstat();
    }

    @Override
    public void close() {
        client.shutdown();
        process.close();
    }

    private static String field(String info, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(info);
        if (!matcher.find()) {
            throw new IllegalStateException("Redis' INFO has nothing like '%s'".formatted(pattern));
        }
        return matcher.group(1);
    }
}
