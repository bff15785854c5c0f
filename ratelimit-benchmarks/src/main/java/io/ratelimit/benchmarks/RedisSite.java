package io.ratelimit.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.ratelimit.testing.RedisProcess;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The Redis that everything is measured on, and one Lettuce client for all that use Lettuce. */
public final class RedisSite implements AutoCloseable {

    private static final int PINGS = 101;

    private @Nullable RedisProcess process;
    private final RedisClient client;
    private final RedisURI uri;
    private final RedisCommands<String, String> commands;

    private RedisSite(
            @Nullable RedisProcess process, RedisClient client, RedisURI uri, RedisCommands<String, String> commands) {
        this.process = process;
        this.client = client;
        this.uri = uri;
        this.commands = commands;
    }

    public static RedisSite start() {
        RedisProcess process = RedisProcess.start();
        return of(process, RedisURI.create(process.uri()));
    }

    /** A Redis on this machine that another process started. */
    static RedisSite at(int port) {
        return of(null, RedisURI.create("redis://127.0.0.1:" + port));
    }

    private static RedisSite of(@Nullable RedisProcess process, RedisURI uri) {
        RedisClient client = RedisClient.create();
        return new RedisSite(process, client, uri, client.connect(uri).sync());
    }

    /** The same Redis, to which contenders connect at another port; {@link #commands} goes there directly. */
    public RedisSite behind(int port) {
        RedisURI other = RedisURI.builder(uri).withPort(port).build();
        return new RedisSite(process, client, other, commands);
    }

    public int port() {
        return uri.getPort();
    }

    public String uri() {
        return uri.toString();
    }

    /** Ends Redis, if it was started here. */
    public void kill() {
        if (process != null) {
            process.close();
        }
    }

    /** Starts another on the same port, which knows nothing. */
    public void startAgain() {
        process = RedisProcess.startOn(port());
    }

    /** From now on this is what listens on the port. */
    public void continueOn(RedisProcess other) {
        process = other;
    }

    /** The median round trip of a PING on a contender's connection, in µs. */
    double pingMicros() {
        try (StatefulRedisConnection<String, String> connection = connect()) {
            return LongStream.generate(() -> pingNanos(connection))
                            .skip(PINGS / 2) // the proxy is compiled by then
                            .limit(PINGS)
                            .sorted()
                            .toArray()[PINGS / 2]
                    / 1e3;
        }
    }

    private static long pingNanos(StatefulRedisConnection<String, String> connection) {
        long startNanos = System.nanoTime();
        connection.sync().ping();
        return System.nanoTime() - startNanos;
    }

    /** A connection of the contender's own, which all its threads share. */
    public StatefulRedisConnection<String, String> connect() {
        return client.connect(StringCodec.UTF8, uri);
    }

    public <V> StatefulRedisConnection<String, V> connect(RedisCodec<String, V> codec) {
        return client.connect(codec, uri);
    }

    public RedisCommands<String, String> commands() {
        return commands;
    }

    public String version() {
        return field(commands.info("server"), "redis_version:(\\S+)");
    }

    String allocator() {
        return field(commands.info("memory"), "mem_allocator:(\\S+)");
    }

    RedisUsage usage() {
        return RedisUsage.of(commands.info());
    }

    double usedMemory() {
        return Double.parseDouble(field(commands.info("memory"), "used_memory:(\\d+)"));
    }

    /** Time that Redis has spent in EVALSHA since {@link #forgetStatistics}, in µs. */
    double microsInScripts() {
        return Double.parseDouble(field(commands.info("commandstats"), "cmdstat_evalsha:calls=\\d+,usec=(\\d+)"));
    }

    /** How often Redis was asked to run a script since {@link #forgetStatistics}. */
    public double scriptCalls() {
        String stats = commands.info("commandstats");
        return stats.contains("cmdstat_evalsha:")
                ? Double.parseDouble(field(stats, "cmdstat_evalsha:calls=(\\d+)"))
                : 0;
    }

    /** How many changes Redis has made to its data since it last saved it. */
    long changes() {
        return Long.parseLong(field(commands.info("persistence"), "rdb_changes_since_last_save:(\\d+)"));
    }

    public void forgetStatistics() {
        commands.configResetstat();
    }

    @Override
    public void close() {
        client.shutdown();
        kill();
    }

    private static String field(String info, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(info);
        if (!matcher.find()) {
            throw new IllegalStateException("Redis' INFO has nothing like '%s'".formatted(pattern));
        }
        return matcher.group(1);
    }
}
