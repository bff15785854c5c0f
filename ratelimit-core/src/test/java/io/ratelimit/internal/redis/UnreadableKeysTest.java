package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key with a foreign value fails only the calls that need it, and is not overwritten. */
@ExtendWith(NoThreadsLeft.class)
class UnreadableKeysTest {

    private final RedisUnderTest redis = RedisUnderTest.withRedisTime();

    @AfterEach
    void close() {
        redis.redis().keys(redis.prefix + "*").forEach(key -> redis.redis().pexpire(key, 100_000));
        redis.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aForeignTypeFailsItsOwnCallsOnly(Algorithm algorithm) {
        Limit limit = limit(algorithm);
        redis.redis().rpush(key(limit, "list"), "a", "b");
        redis.redis().hset(key(limit, "hash"), "a", "b");
        redis.redis().zadd(key(limit, "zset"), 1, "b");

        assertFail(limit, "list", "hash", "zset");

        assertThat(redis.redis().lrange(key(limit, "list"), 0, -1)).containsExactly("a", "b");
        assertThat(redis.redis().hgetall(key(limit, "hash"))).containsEntry("a", "b");
        assertThat(redis.redis().zcard(key(limit, "zset"))).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aStringOfAnotherKindFailsItsOwnCallsOnly(Algorithm algorithm) {
        Limit limit = limit(algorithm);
        List<String> texts = Stream.of(
                        1, 11, 12, 13, 14, 19, 23, 24, 25, 26, 30, 31, 38, 46, 60, 69, 70, 71, 81, 200, 5_000)
                .map("x"::repeat)
                .toList();
        texts.forEach(text -> redis.redis().set(key(limit, "text" + text.length()), text));
        String[] subjects = texts.stream().map(text -> "text" + text.length()).toArray(String[]::new);

        assertFail(limit, subjects);

        texts.forEach(text -> assertThat(redis.redis().get(key(limit, "text" + text.length())))
                .isEqualTo(text));
    }

    @Test
    void theLimitIsNamedAlsoBehindOneWhoseBanTakesSeveralEntries() {
        Limit banning = Limit.of("banning", Algorithm.TOKEN_BUCKET, 1_000, Duration.ofMinutes(10))
                .withBan(
                        1,
                        Duration.ofMinutes(1),
                        IntStream.range(1, 5).mapToObj(Duration::ofMinutes).toArray(Duration[]::new));
        for (Limit limit : List.of(limit(Algorithm.TOKEN_BUCKET), limit(Algorithm.FIXED_WINDOW))) {
            redis.redis().set(key(limit, "foreign"), "x");
            Acquisition acquisition = Acquisition.of(banning, "alice").and(limit, "foreign");

            assertThatThrownBy(() -> redis.limiter().acquire(acquisition.and(banning, "bob")))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("'api'")
                    .hasMessageContaining(limit.algorithm().label());
        }
    }

    /** Asked together with others, of the same limit and of all others. */
    private void assertFail(Limit limit, String... subjects) {
        List<CompletableFuture<Decision>> failing = new ArrayList<>();
        List<CompletableFuture<Decision>> others = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            for (String subject : subjects) {
                others.add(acquire(Acquisition.of(limit, "alice" + i)));
                failing.add(acquire(Acquisition.of(limit, subject)));
                failing.add(acquire(Acquisition.of(limit, "never" + subject).and(limit, subject)));
                failing.add(redis.limiter()
                        .peekAsync(Acquisition.of(limit, subject))
                        .toCompletableFuture());
            }
        }

        assertThat(others)
                .allSatisfy(decision -> assertThat(decision.join().allowed()).isTrue());
        assertThat(failing)
                .allSatisfy(decision -> assertThatThrownBy(decision::join)
                        .hasCauseInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("'" + limit.name() + "'"));
        for (String subject : subjects) {
            assertThat(redis.redis().exists(key(limit, "never" + subject))).isZero();
            Acquisition one = Acquisition.of(limit, subject);
            Decision taken = Decision.of(List.of(LimitStatus.ofMicros(limit, 0, 0, 0)), Instant.now());
            assertThatThrownBy(() -> redis.limiter().refund(one, taken))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageNotContaining(subject);
        }
    }

    private CompletableFuture<Decision> acquire(Acquisition acquisition) {
        return redis.limiter().acquireAsync(acquisition).toCompletableFuture();
    }

    private String key(Limit limit, String subject) {
        return new StateKeyFormat(redis.prefix).key(new Charge(limit, subject, 1));
    }

    private static Limit limit(Algorithm algorithm) {
        return Limit.of("api", algorithm, 1_000, Duration.ofMinutes(10));
    }
}
