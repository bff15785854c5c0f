package io.ratelimit.benchmarks;

import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/** Bytes that Redis keeps after some calls, each key given a name of the same length: names are not the layout's. */
final class KeyMemory {

    private static final int NAME_BYTES = 30;

    private final RedisCommands<String, String> commands;

    KeyMemory(RedisSite redis) {
        this.commands = redis.commands();
    }

    /** What those calls leave in an empty Redis. */
    double bytesAfter(Runnable calls) {
        commands.flushall();
        calls.run();
        List<String> keys = commands.keys("*");
        long bytes = 0;
        for (int i = 0; i < keys.size(); i++) {
            String name = ("key-" + i + "-").concat("x".repeat(NAME_BYTES)).substring(0, NAME_BYTES);
            commands.rename(keys.get(i), name);
            bytes += commands.memoryUsage(name);
        }
        return bytes;
    }
}
