package io.ratelimit.spring.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.StatefulRedisConnection;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All that the attack has left in Redis; closing it removes that. */
final class LeftKeys implements AutoCloseable {

    private static final String LIMITS = "header:fixed-window|param:sliding-window-log|cookie:sliding-window-counter"
            + "|ip:token-bucket|spel:fixed-window|called:sliding-window-log|priced:sliding-window-log";
    private static final long LONGEST_LIFE_MILLIS =
            Duration.ofDays(2 * 366).plusSeconds(1).toMillis();

    private final RedisClient client = RedisClient.create(TestRedis.uri());
    private final StatefulRedisConnection<String, String> redis = client.connect();
    private final List<String> names;
    private final Pattern grammar;

    LeftKeys(String prefix) {
        this.grammar = Pattern.compile(Pattern.quote(prefix) + ":\\{([^{}\\p{Cntrl}\\s]{1,64})}:(?:"
                + LIMITS.replaceAll("(\\w+):", "($1):") + "):\\d+(?:us|ms|s|m|h|d):2");
        this.names = ScanIterator.scan(
                        redis.sync(), ScanArgs.Builder.matches(prefix + "*").limit(5_000))
                .stream()
                .distinct()
                .toList();
    }

    /** The keys, each of which must follow the grammar. */
    List<LeftKey> keys() {
        return names.stream().map(this::parsed).toList();
    }

    void assertAllHaveATimeToLive() {
        List<RedisFuture<Long>> lives = new ArrayList<>();
        names.forEach(name -> lives.add(redis.async().pttl(name)));
        LettuceFutures.awaitAll(Duration.ofMinutes(1), lives.toArray(RedisFuture[]::new));
        assertThat(lives).allSatisfy(life -> assertThat(life.get()).isBetween(1L, LONGEST_LIFE_MILLIS));
    }

    @Override
    public void close() {
        List<RedisFuture<Long>> removed = new ArrayList<>();
        names.forEach(name -> removed.add(redis.async().unlink(name)));
        LettuceFutures.awaitAll(Duration.ofMinutes(1), removed.toArray(RedisFuture[]::new));
        redis.close();
        client.shutdown();
    }

    private LeftKey parsed(String name) {
        Matcher matcher = grammar.matcher(name);
        assertThat(matcher.matches()).as("'%s' is no key by the grammar", name).isTrue();
        for (int group = 2; group <= matcher.groupCount(); group++) {
            if (matcher.group(group) != null) {
                return new LeftKey(matcher.group(1), matcher.group(group));
            }
        }
        throw new AssertionError(name + " names no limit");
    }
}
