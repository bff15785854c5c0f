package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that change nothing write nothing. Redis counts the writes, on a server of this test alone. */
@ExtendWith(NoThreadsLeft.class)
class WritesTest {

    private static RedisProcess server;

    private final RedisUnderTest redis = RedisUnderTest.on(server.uri(), Duration.ofMinutes(1), ClientOptions.create());

    @BeforeAll
    static void start() {
        server = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void close() {
        redis.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aRefusedCallWritesNothing(Algorithm algorithm) {
        Acquisition three = Acquisition.of(limit("three", algorithm, 3), "alice", 3);
        assertThat(redis.limiter().acquire(three).allowed()).isTrue();
        long before = changes();

        for (int i = 0; i < 10; i++) {
            assertThat(redis.limiter().acquire(three).allowed()).isFalse();
        }

        assertThat(changes()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aLimitThatAdmitsWritesNothingIfAnotherRefuses(Algorithm algorithm) {
        Limit full = limit("full", algorithm, 1);
        redis.limiter().acquire(Acquisition.of(full, "alice"));
        long before = changes();

        Acquisition all = Acquisition.of(full, "alice");
        for (Algorithm other : Algorithms.ofCosts()) {
            all = all.and(limit("free", other, 10), "alice").and(limit("free", other, 10), "acme");
        }

        assertThat(redis.limiter().acquire(all).allowed()).isFalse();
        assertThat(changes()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aPeekWritesNothing(Algorithm algorithm) {
        Limit limit = limit("three", algorithm, 3);
        redis.limiter().acquire(Acquisition.of(limit, "alice"));
        long before = changes();

        redis.limiter().peek(Acquisition.of(limit, "alice"));
        redis.limiter().peek(Acquisition.of(limit, "bob"));

        assertThat(changes()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aCallThatABlockRefusesWritesNothing(Algorithm algorithm) {
        Limit limit = limit("three", algorithm, 3);
        redis.limiter().acquire(Acquisition.of(limit, "alice"));
        redis.limiter().block(limit, "alice", Duration.ofHours(1));
        redis.limiter().block(limit, "bob", Duration.ofHours(1));
        long before = changes();

        redis.limiter().block(limit, "alice", Duration.ofMinutes(1));
        for (String subject : List.of("alice", "bob")) {
            redis.limiter().acquire(Acquisition.of(limit, subject));
            redis.limiter().peek(Acquisition.of(limit, subject));
        }

        assertThat(changes()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void aCallIsRefusedAfterABlockIsOverAlsoWhereRedisMustNotWrite(Algorithm algorithm) {
        try (RedisUnderTest settable = RedisUnderTest.on(server.uri(), SettableRedisClock.TEXT)) {
            settable.setClock(at("12:00:00"));
            Limit one = limit("one", algorithm, 1);
            settable.limiter().acquire(asked(one, "first"));
            settable.limiter().block(one, "alice", Duration.ofMinutes(1));
            settable.setClock(at("12:02:00"));
            server.ask(commands -> commands.configSet("maxmemory", "1"));
            try {
                for (int i = 0; i < 2; i++) {
                    assertThat(settable.limiter().peek(asked(one, "second")).allowed())
                            .isFalse();
                    assertThat(settable.limiter().acquire(asked(one, "second")).allowed())
                            .isFalse();
                }
            } finally {
                server.ask(commands -> commands.configSet("maxmemory", "0"));
            }
            Decision next = settable.limiter().acquire(asked(one, "second"));
            assertThat(next.allowed()).isFalse();
            assertThat(next.limits().get(0).blocked()).isFalse();
        }
    }

    private static Acquisition asked(Limit limit, String element) {
        return limit.algorithm().countsElements()
                ? Acquisition.of(limit, "alice", element)
                : Acquisition.of(limit, "alice");
    }

    /** As for a limit without a ban, whose refusals write nothing. */
    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void aRefusalStaysOneWhereRedisCannotCountItForABan(int after) {
        Limit banning =
                limit("banning", Algorithm.FIXED_WINDOW, 1).withBan(after, Duration.ofDays(1), Duration.ofDays(1));
        Acquisition alice = Acquisition.of(banning, "alice");
        redis.limiter().acquire(alice);
        redis.limiter().acquire(alice);
        redis.limiter().acquire(alice);
        server.ask(commands -> commands.configSet("maxmemory", "1"));
        try {
            for (int i = 0; i < 3; i++) {
                Decision refused = redis.limiter().acquire(alice);
                assertThat(refused.allowed()).isFalse();
                assertThat(refused.limits().get(0).bannedFor()).isZero();
            }
            assertThatThrownBy(() -> redis.limiter().ban(banning, "alice")).hasMessageContaining("OOM");
        } finally {
            server.ask(commands -> commands.configSet("maxmemory", "0"));
        }

        Decision next = redis.limiter().acquire(alice);
        assertThat(next.limits().get(0).bannedFor().isZero()).isEqualTo(after > 3);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aRefundThatGivesNothingBackWritesNothing(Algorithm algorithm) {
        Acquisition three = Acquisition.of(limit("three", algorithm, 3), "alice", 3);
        Decision allowed = redis.limiter().acquire(three);
        Decision refused = redis.limiter().acquire(three);
        Decision longAgo = new Decision(
                true,
                allowed.limits(),
                Decision.Source.STORE,
                allowed.decidedAt().minus(Duration.ofDays(800)));
        long before = changes();

        redis.limiter().refund(three, refused);
        redis.limiter().refund(three, longAgo);

        assertThat(changes()).isEqualTo(before);
    }

    @Test
    void anAdmittedCallWritesEachOfItsKeysOnce() {
        Acquisition all = Acquisition.of(limit("free", Algorithm.TOKEN_BUCKET, 10), "alice");
        all = all.and(limit("free", Algorithm.FIXED_WINDOW, 10), "alice");
        all = all.and(limit("free", Algorithm.SLIDING_WINDOW_COUNTER, 10), "acme");
        redis.redis().configResetstat();

        assertThat(redis.limiter().acquire(all).allowed()).isTrue();

        assertThat(callsOf("psetex")).isEqualTo(3);
    }

    @Test
    void aBlockIsOneRoundTrip() {
        Limit limit = limit("three", Algorithm.TOKEN_BUCKET, 3);
        redis.limiter().block(limit, "bob", Duration.ofHours(1));
        redis.redis().configResetstat();

        redis.limiter().block(limit, "alice", Duration.ofHours(1));

        assertThat(callsOf("evalsha")).isEqualTo(1);
    }

    private long changes() {
        return Long.parseLong(info("persistence").get("rdb_changes_since_last_save"));
    }

    private long callsOf(String command) {
        String stats = info("commandstats").get("cmdstat_" + command);
        return Long.parseLong(stats.substring("calls=".length(), stats.indexOf(',')));
    }

    private Map<String, String> info(String section) {
        return redis.redis()
                .info(section)
                .lines()
                .filter(line -> line.contains(":"))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(':')), line -> line.substring(line.indexOf(':') + 1)));
    }

    private static Limit limit(String name, Algorithm algorithm, long maxRequests) {
        return Limit.of(name, algorithm, maxRequests, Duration.ofDays(366));
    }
}
