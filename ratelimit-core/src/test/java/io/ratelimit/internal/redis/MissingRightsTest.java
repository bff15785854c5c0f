package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A user of Redis that may not do all that the engine does: what fails has charged nothing, and no key lives for ever. */
@ExtendWith(NoThreadsLeft.class)
class MissingRightsTest {

    private static final String NEEDED =
            "+evalsha +eval +time +get +getrange +setrange +psetex +pexpire +del +ping +hello +client|setname";

    /** A clock that the test sets, read by a command that the engine does not use. */
    private static final String CLOCK = "local clock = tonumber(redis.call('HGET', 'clock', 'now'))\n";

    private static RedisProcess server;

    private final RedisUnderTest all = RedisUnderTest.on(server.uri(), Duration.ofMinutes(1), ClientOptions.create());

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
        all.close();
    }

    @Test
    void theCommandsInTheDocumentationAreEnough() {
        allow(NEEDED);
        try (RedisUnderTest limited = limited()) {
            for (Algorithm algorithm : Algorithms.ofCosts()) {
                Acquisition three = Acquisition.of(limit(algorithm), "alice", 3);
                Decision first = limited.limiter().acquire(three);
                assertThat(limited.limiter().acquire(three).allowed()).isTrue();
                limited.limiter().block(limit(algorithm), "alice", Duration.ofMillis(1));
                limited.limiter().refund(three, first);
                limited.limiter().reset(limit(algorithm), "alice");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FIXED_WINDOW, get",
        "FIXED_WINDOW, psetex",
        "FIXED_WINDOW, time",
        "SLIDING_WINDOW_COUNTER, get",
        "SLIDING_WINDOW_COUNTER, psetex",
        "TOKEN_BUCKET, get",
        "TOKEN_BUCKET, psetex",
        "SLIDING_WINDOW_LOG, getrange",
        "SLIDING_WINDOW_LOG, setrange",
        "SLIDING_WINDOW_LOG, pexpire",
        "SLIDING_WINDOW_LOG, psetex",
        "SLIDING_WINDOW_LOG, time"
    })
    void whatFailsHasChargedNothing(Algorithm algorithm, String missing) {
        int failed = failedOf(missing, Acquisition.of(limit(algorithm), "alice"));

        assertThat(failed).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"setrange", "pexpire", "getrange", "get", "time"})
    void aCallOfSeveralLimitsChargesAllOrNothing(String missing) {
        Acquisition each = Acquisition.of(limit(Algorithm.TOKEN_BUCKET), "alice");
        for (Algorithm algorithm : Algorithms.ofCosts()) {
            each = each.and(limit(algorithm), "bob");
        }

        assertThat(failedOf(missing, each)).isPositive();
    }

    @Test
    void aRefundThatCannotDeleteGivesNothingBack() {
        Acquisition each = Acquisition.of(limit(Algorithm.FIXED_WINDOW), "bob")
                .and(limit(Algorithm.SLIDING_WINDOW_LOG), "alice")
                .and(limit(Algorithm.SLIDING_WINDOW_LOG), "bob")
                .and(limit(Algorithm.SLIDING_WINDOW_COUNTER), "bob");
        allow(NEEDED);
        try (RedisUnderTest limited = limited();
                RedisRateLimiter admin = admin(limited)) {
            limited.limiter().acquire(Acquisition.of(limit(Algorithm.SLIDING_WINDOW_LOG), "alice"));
            Decision taken = limited.limiter().acquire(each);
            List<Long> before = remaining(admin, each);
            allow(NEEDED + " -del");

            assertThatThrownBy(() -> limited.limiter().refund(each, taken))
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(remaining(admin, each)).isEqualTo(before);
        }
    }

    /**
     * How many of some calls and refunds fail while that right is missing; none of those may change what is charged. 60 ms lie
     * between two of them, so that the step of the log's TTL changes now and then.
     */
    private int failedOf(String missing, Acquisition acquisition) {
        setClock(0);
        allow(NEEDED + " +hget");
        try (RedisUnderTest limited = missing.equals("time") ? limited() : limitedByClock();
                RedisRateLimiter admin = admin(limited)) {
            Decision last = limited.limiter().acquire(acquisition);
            limited.limiter().acquire(acquisition);
            limited.limiter().acquire(acquisition);
            int failed = 0;
            // a log that grows just when the step of its TTL changes needs no right that is missing, and so goes on
            for (int i = 0; i < 12 || (failed == 0 && i < 100); i++) {
                setClock(60 * i);
                allow(NEEDED + " +hget -" + missing);
                List<Long> before = remaining(admin, acquisition);
                try {
                    if (i % 4 == 3) {
                        limited.limiter().refund(acquisition, last);
                    } else {
                        last = limited.limiter().acquire(acquisition);
                    }
                } catch (StoreUnavailableException expected) {
                    failed++;
                    assertUnchanged(acquisition, before, remaining(admin, acquisition));
                }
                assertThat(Leftovers.keysWithoutTimeToLive(List.of(server))).isEmpty();
            }
            return failed;
        }
    }

    /** A bucket may have refilled the token that a refund left broken: a refund gives back what is left of it by then. */
    private static void assertUnchanged(Acquisition acquisition, List<Long> before, List<Long> after) {
        for (int i = 0; i < before.size(); i++) {
            boolean bucket = acquisition.charges().get(i).limit().algorithm() == Algorithm.TOKEN_BUCKET;
            assertThat(after.get(i)).isBetween(before.get(i), before.get(i) + (bucket ? 1 : 0));
        }
    }

    private static List<Long> remaining(RateLimiter admin, Acquisition acquisition) {
        return admin.peek(acquisition).limits().stream()
                .map(LimitStatus::remaining)
                .toList();
    }

    private void allow(String rules) {
        CommandArgs<String, String> user = new CommandArgs<>(StringCodec.UTF8);
        user.add("SETUSER").add("limiter").add("on").add(">secret").add("~*").add("-@all");
        for (String rule : rules.split(" ", -1)) {
            user.add(rule);
        }
        all.redis().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), user);
    }

    private static RedisUnderTest limited() {
        return RedisUnderTest.on(uriOfUser(), Duration.ofMinutes(1), ClientOptions.create());
    }

    private static RedisUnderTest limitedByClock() {
        return RedisUnderTest.on(uriOfUser(), CLOCK);
    }

    private static String uriOfUser() {
        return server.uri().replace("redis://", "redis://limiter:secret@");
    }

    private void setClock(int millis) {
        all.redis().hset("clock", "now", String.valueOf(TestTime.at("12:00:00") + millis * 1_000L));
        all.redis().expire("clock", Duration.ofHours(1));
    }

    /** One that may do all, with the keys of the other. */
    private RedisRateLimiter admin(RedisUnderTest limited) {
        return RedisRateLimiter.builder(RedisConnections.of(all.connection()))
                .keyPrefix(limited.prefix)
                .clockText(limited.clockText)
                .timeout(Duration.ofMinutes(1))
                .build();
    }

    private static Limit limit(Algorithm algorithm) {
        return Limit.of("api", algorithm, 100, Duration.ofDays(1));
    }
}
