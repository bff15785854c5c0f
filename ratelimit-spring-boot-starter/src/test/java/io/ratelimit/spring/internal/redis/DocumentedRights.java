package io.ratelimit.spring.internal.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.ratelimit.testing.RedisProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The ACL line of docs/redis.md, so that what it says is what is tested. */
final class DocumentedRights {

    private static final String COMMAND = "ACL ";

    private DocumentedRights() {}

    /** Starts a Redis with the documented user, whose password is "secret", and what comes after the line. */
    static RedisProcess startRedis(String... more) {
        RedisProcess redis = RedisProcess.start();
        CommandArgs<String, String> rights = new CommandArgs<>(StringCodec.UTF8);
        for (String word : line().replace("PASSWORD", "secret").split(" ", -1)) {
            rights.add(word);
        }
        for (String word : more) {
            rights.add(word);
        }
        redis.<String>ask(commands -> commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), rights));
        return redis;
    }

    private static String line() {
        try {
            return Files.readAllLines(Path.of("..", "docs", "redis.md")).stream()
                    .filter(line -> line.startsWith(COMMAND))
                    .map(line -> line.substring(COMMAND.length()))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }
}
