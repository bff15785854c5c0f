package io.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.LooksUpLimits;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What an application's start says of a Redis that will not do, and how long it waits for it. */
class RedisStartTest {

    private final ApplicationContextRunner contexts = Contexts.plain()
            .withBean(LooksUpLimits.class)
            .withPropertyValues("rate-limiter.max-requests=5", "rate-limiter.timeout=1s");

    /** Loads what the first connection of a process loads, which on a busy machine takes longer than a start waits. */
    @BeforeAll
    static void connectOnce() {
        try (RedisProcess redis = RedisProcess.start();
                LimiterConnectionFactory factory =
                        LimiterConnectionFactory.like(new LettuceConnectionFactory("127.0.0.1", redis.port()))) {
            factory.connect();
        }
    }

    @Test
    void aWrongPasswordIsNamed() {
        try (RedisProcess redis = RedisProcess.start("--requirepass", "right");
                LogCapture log = LogCapture.start()) {
            on(redis, "spring.data.redis.password=wrong").run(context -> {
                assertThat(context).hasNotFailed();
                // now and then Lettuce only knows that Redis has closed the connection
                await().until(() -> log.messages(Level.WARN).stream().anyMatch(line -> line.contains("WRONGPASS")));
            });

            assertThat(log.messages(Level.WARN))
                    .hasSizeLessThanOrEqualTo(2)
                    .allSatisfy(line -> assertThat(line)
                            .contains("Redis cannot be reached", "username, password")
                            .doesNotContain("'wrong'"));
        }
    }

    @Test
    void aRedisThatIsAwayIsNamedInOneWarning() {
        try (LogCapture log = LogCapture.start()) {
            contexts.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=1")
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains(
                            "Redis cannot be reached",
                            "127.0.0.1",
                            ":1",
                            "Connection refused",
                            "on-store-failure decides");
        }
    }

    /** The rights that docs/redis.md lists. */
    @Test
    void theDocumentedRightsAreEnough() {
        try (RedisProcess redis = DocumentedRights.startRedis();
                LogCapture log = LogCapture.start()) {
            on(redis, "spring.data.redis.username=limiter", "spring.data.redis.password=secret")
                    .run(context -> {
                        Decision decision = context.getBean(RateLimiter.class)
                                .acquire(Acquisition.of(
                                        context.getBean(Limits.class).get("default"), "alice"));
                        assertThat(decision.source()).isEqualTo(Decision.Source.STORE);
                    });
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"evalsha", "time", "pexpire", "del"})
    void aMissingRightIsNamedInOneWarning(String command) {
        try (RedisProcess redis = DocumentedRights.startRedis("-" + command);
                LogCapture log = LogCapture.start()) {
            on(redis, "spring.data.redis.username=limiter", "spring.data.redis.password=secret")
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("Redis refuses", "user 'limiter'", "docs/redis.md")
                    .containsIgnoringCase("'" + command + "'");
        }
    }

    @Test
    void aMissingRightToTheKeysIsNamedInOneWarning() {
        try (RedisProcess redis = DocumentedRights.startRedis();
                LogCapture log = LogCapture.start()) {
            on(
                            redis,
                            "spring.data.redis.username=limiter",
                            "spring.data.redis.password=secret",
                            "rate-limiter.key-prefix=other")
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.messages(Level.WARN)).singleElement().asString().contains("Redis refuses", "keys 'other:*'");
        }
    }

    @Test
    void aReplicaIsNamedInOneWarning() {
        try (RedisProcess master = RedisProcess.start();
                RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", String.valueOf(master.port()));
                LogCapture log = LogCapture.start()) {
            await().until(() -> replica.<String>ask(commands -> commands.info("replication"))
                    .contains("master_link_status:up"));
            on(replica).run(context -> assertThat(context).hasNotFailed());

            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("Redis refuses", "READONLY", "It takes a master");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "volatile-ttl"})
    void aRedisThatEvictsIsWarnedOf(String policy) {
        try (RedisProcess redis = RedisProcess.start("--maxmemory", "50mb", "--maxmemory-policy", policy);
                LogCapture log = LogCapture.start()) {
            on(redis).run(context -> assertThat(context).hasNotFailed());

            assertThat(log.messages(Level.WARN)).singleElement().asString().contains("'" + policy + "'", "noeviction");
        }
    }

    @Test
    void leavesNothingBehindAndWarnsOfNothing() {
        try (RedisProcess redis = RedisProcess.start();
                LogCapture log = LogCapture.start()) {
            on(redis).run(context -> assertThat(context).hasNotFailed());

            assertThat(log.messages(Level.WARN)).isEmpty();
            assertThat(redis.<Long>ask(commands -> commands.dbsize())).isZero();
        }
    }

    @Test
    void aRedisThatHangsHoldsUpTheStartForTwoSecondsWhateverTheLimits() {
        List<String> limits = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            limits.add("rate-limiter.limits.limit" + i + ".max-requests=5");
        }
        try (RedisProcess redis = RedisProcess.start();
                LogCapture log = LogCapture.start()) {
            redis.signal("STOP");
            long startNanos = System.nanoTime();
            on(redis, limits.toArray(String[]::new)).run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(6));
                redis.signal("CONT");
            });
            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("Redis has not answered for 2000 ms");
        }
    }

    private ApplicationContextRunner on(RedisProcess redis, String... more) {
        return contexts.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port())
                .withPropertyValues(more);
    }
}
