package io.ratelimit.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** What limiters leave behind on servers of the tests' own, and in this process; servers that are dead are left out. */
public final class Leftovers {

    private static final String CLIENT_NAME = "limiter";

    private Leftovers() {}

    /** Where a limiter connects to, with a name by which its connections are found again. */
    public static RedisURI named(RedisURI uri) {
        uri.setClientName(CLIENT_NAME);
        return uri;
    }

    /** No key without an end, and sooner or later no connection of a limiter that is closed. */
    public static void assertNone(List<RedisProcess> servers) {
        assertThat(keysWithoutTimeToLive(servers)).isEmpty();
        Awaitility.await("no connection left")
                .untilAsserted(() -> assertThat(connections(servers)).isZero());
    }

    /** How many connections the servers have of those that are {@link #named}. */
    public static long connections(List<RedisProcess> servers) {
        return servers.stream()
                .filter(RedisProcess::isAlive)
                .mapToLong(server -> server.ask(Leftovers::connections))
                .sum();
    }

    /** Keys of any of the servers that no time ends. */
    public static List<String> keysWithoutTimeToLive(List<RedisProcess> servers) {
        return servers.stream()
                .filter(RedisProcess::isAlive)
                .flatMap(server -> server.ask(Leftovers::keysWithoutTimeToLive).stream())
                .toList();
    }

    /** Threads of limiters and of their clients. */
    public static List<Long> threads() {
        return ownThreads().map(Thread::getId).toList();
    }

    /** How many of them there are but for those that tell callers of a failure, which come and go. */
    public static long lastingThreads() {
        return ownThreads()
                .filter(thread -> !thread.getName().equals("ratelimit-failures"))
                .count();
    }

    private static Stream<Thread> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lettuce")
                        || thread.getName().startsWith("ratelimit"));
    }

    private static long connections(RedisCommands<String, String> redis) {
        return redis.clientList()
                .lines()
                .filter(client -> client.contains(" name=" + CLIENT_NAME + " "))
                .count();
    }

    private static List<String> keysWithoutTimeToLive(RedisCommands<String, String> redis) {
        return redis.keys("*").stream().filter(key -> redis.pttl(key) == -1).toList();
    }
}
