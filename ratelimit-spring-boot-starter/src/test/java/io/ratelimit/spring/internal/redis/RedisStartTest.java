package io.ratelimit.spring.internal.redis;

import static io.ratelimit.spring.testing.Patience.awaitStore;
import static io.ratelimit.spring.testing.Patience.wasHeldUp;
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
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What an application's start says of a Redis that will not do, and how long it waits for it. */
class RedisStartTest {

    private final ApplicationContextRunner contexts = Contexts.plain()
            .withBean(LooksUpLimits.class)
            .withPropertyValues("rate-limiter.max-requests=5", "rate-limiter.timeout=15s");

    /** Loads what the first connection of a process loads, which on a busy machine takes longer than a start waits. */
    @BeforeAll
    static void connectOnce() {
        try (RedisProcess redis = RedisProcess.start();
                LimiterConnectionFactory factory =
                        LimiterConnectionFactoryTest.like(new LettuceConnectionFactory("127.0.0.1", redis.port()))) {
            LimiterConnectionFactoryTest.connected(factory);
        }
    }

    @Test
    void aWrongPasswordIsNamed() {
        try (RedisProcess redis = RedisProcess.start("--requirepass", "right")) {
            // now and then Lettuce only knows at first that Redis has closed the connection
            assertThat(warnings(
                            on(redis, "spring.data.redis.password=wrong"),
                            (context, log) -> await().until(() ->
                                    log.messages(Level.WARN).stream().anyMatch(line -> line.contains("WRONGPASS")))))
                    .hasSizeLessThanOrEqualTo(2)
                    .allSatisfy(line -> assertThat(line)
                            .contains("Redis cannot be reached", "username, password")
                            .doesNotContain("'wrong'"));
        }
    }

    @Test
    void aRedisThatIsAwayIsNamedInOneWarning() {
        assertThat(warnings(
                        contexts.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=1")))
                .singleElement()
                .asString()
                .contains(
                        "Redis cannot be reached", "127.0.0.1", ":1", "Connection refused", "on-store-failure decides");
    }

    /** The rights that docs/redis.md lists. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void theDocumentedRightsAreEnough(int database) {
        try (RedisProcess redis = DocumentedRights.startRedis()) {
            assertThat(warnings(
                            on(
                                    redis,
                                    "spring.data.redis.username=limiter",
                                    "spring.data.redis.password=secret",
                                    "spring.data.redis.database=" + database),
                            (context, log) -> {
                                RateLimiter limiter = context.getBean(RateLimiter.class);
                                awaitStore(limiter);
                                Decision decision = limiter.acquire(Acquisition.of(
                                        context.getBean(Limits.class).get("default"), "alice"));
                                assertThat(decision.source()).isEqualTo(Decision.Source.STORE);
                            }))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"evalsha", "time", "pexpire", "del"})
    void aMissingRightIsNamedInOneWarning(String command) {
        try (RedisProcess redis = DocumentedRights.startRedis("-" + command)) {
            assertThat(warnings(on(redis, "spring.data.redis.username=limiter", "spring.data.redis.password=secret")))
                    .singleElement()
                    .asString()
                    .contains("Redis refuses", "user 'limiter'", "docs/redis.md")
                    .containsIgnoringCase("'" + command + "'");
        }
    }

    @Test
    void aMissingRightToTheKeysIsNamedInOneWarning() {
        try (RedisProcess redis = DocumentedRights.startRedis()) {
            assertThat(warnings(on(
                            redis,
                            "spring.data.redis.username=limiter",
                            "spring.data.redis.password=secret",
                            "rate-limiter.key-prefix=other")))
                    .singleElement()
                    .asString()
                    .contains("Redis refuses", "keys 'other:*'");
        }
    }

    @Test
    void aReplicaIsNamedInOneWarning() {
        try (RedisProcess master = RedisProcess.start();
                RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", String.valueOf(master.port()))) {
            await().until(() -> replica.<String>ask(commands -> commands.info("replication"))
                    .contains("master_link_status:up"));

            assertThat(warnings(on(replica)))
                    .singleElement()
                    .asString()
                    .contains("Redis refuses", "READONLY", "It takes a master");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "volatile-ttl"})
    void aRedisThatEvictsIsWarnedOf(String policy) {
        try (RedisProcess redis = RedisProcess.start("--maxmemory", "50mb", "--maxmemory-policy", policy)) {
            assertThat(warnings(on(redis))).singleElement().asString().contains("'" + policy + "'", "noeviction");
        }
    }

    @Test
    void leavesNothingBehindAndWarnsOfNothing() {
        try (RedisProcess redis = RedisProcess.start()) {
            assertThat(warnings(on(redis), (context, log) -> await().until(() -> !Patience.isConnecting())))
                    .isEmpty();
            assertThat(redis.<Long>ask(commands -> commands.dbsize())).isZero();
        }
    }

    @Test
    void aRedisThatHangsIsWarnedOfOnceWhateverTheLimits() {
        startsOnARedisThatHangs();
    }

    @Tag("alone")
    @Test
    void aRedisThatHangsHoldsUpTheStartForTwoSecondsWhateverTheLimits() {
        assertThat(startsOnARedisThatHangs()).isLessThan(Duration.ofSeconds(6));
    }

    private Duration startsOnARedisThatHangs() {
        List<String> limits = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            limits.add("rate-limiter.limits.limit" + i + ".max-requests=5");
        }
        Duration[] start = new Duration[1];
        try (RedisProcess redis = RedisProcess.start();
                LogCapture log = LogCapture.start()) {
            redis.signal("STOP");
            long startNanos = System.nanoTime();
            on(redis, limits.toArray(String[]::new)).run(context -> {
                assertThat(context).hasNotFailed();
                start[0] = Duration.ofNanos(System.nanoTime() - startNanos);
                await().until(() -> !log.messages(Level.WARN).isEmpty());
                redis.signal("CONT");
            });
            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("Redis has not answered for 2000 ms");
        }
        return start[0];
    }

    private ApplicationContextRunner on(RedisProcess redis, String... more) {
        return contexts.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port())
                .withPropertyValues(more);
    }

    private static List<String> warnings(ApplicationContextRunner contexts) {
        return warnings(
                contexts,
                (context, log) -> await().until(() -> !log.messages(Level.WARN).isEmpty() || wasHeldUp(log)));
    }

    /** Those of the first start in which Redis, on a machine that may be busy, had the time that a start gives it. */
    private static List<String> warnings(
            ApplicationContextRunner contexts, BiConsumer<ApplicationContext, LogCapture> use) {
        List<String> warnings = new ArrayList<>();
        await().until(() -> {
            try (LogCapture log = LogCapture.start()) {
                contexts.run(context -> {
                    assertThat(context).hasNotFailed();
                    use.accept(context, log);
                });
                warnings.clear();
                warnings.addAll(log.messages(Level.WARN));
                return !wasHeldUp(log);
            }
        });
        return warnings;
    }
}
