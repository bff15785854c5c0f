package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.SubjectHash;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a ban leaves in Redis, and that a limit without one pays nothing for it. */
@ExtendWith(NoThreadsLeft.class)
class BanKeysTest {

    private static final Limit PLAIN = Limit.of("login", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(300));
    private static final Limit BANNING = PLAIN.withBan(2, Duration.ofMinutes(10), Duration.ofMinutes(1));

    private final long startNanos = System.nanoTime();
    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn();

    @AfterEach
    void close() {
        redis.close();
    }

    @Test
    void aLimitWithoutABanReadsAndDefinesNothingMore() {
        String plain =
                EngineScript.of("", new TreeSet<>(Set.of("fixed-window"))).text();

        assertThat(plain).doesNotContain(EngineScript.resource("ban"));
        assertThat(EngineScript.of("", new TreeSet<>(Set.of("fixed-window", "ban")))
                        .text())
                .contains(EngineScript.resource("ban"))
                .hasSize(plain.length() + EngineScript.resource("ban").length());
        redis.setClock(at("12:00:00"));
        redis.limiter().acquire(Acquisition.of(PLAIN, "alice"));
        redis.limiter().acquire(Acquisition.of(PLAIN, "alice"));
        assertThat(redis.redis().keys(redis.prefix + "*")).containsExactly(key(PLAIN));
    }

    @Test
    void theKeyOfABanLivesUntilTheBanIsForgiven() {
        redis.setClock(at("12:00:00"));
        Acquisition one = Acquisition.of(BANNING, "alice");
        redis.limiter().acquire(one);
        assertThat(redis.redis().exists(banKey())).isZero();

        redis.limiter().acquire(one);
        assertThatTheBanLives(590_000L, 601_000L);
        redis.limiter().acquire(one);
        assertThatTheBanLives(650_000L, 661_000L);

        redis.limiter().unban(BANNING, "alice");
        assertThat(redis.redis().exists(banKey())).isZero();
        redis.limiter().ban(BANNING, "alice");
        redis.limiter().reset(BANNING, "alice");
        assertThat(redis.redis().exists(banKey(), key(BANNING))).isZero();
    }

    @Test
    void aShortBanOfAnotherPlanDoesNotForgetALongOne() {
        Limit longer = PLAIN.withBan(2, Duration.ofMinutes(10), Duration.ofHours(1));
        Limit shorter = PLAIN.withBan(3, Duration.ofSeconds(10), Duration.ofMinutes(1));
        redis.setClock(at("12:00:00"));
        for (int i = 0; i < 3; i++) {
            redis.limiter().acquire(Acquisition.of(longer, "alice"));
        }
        redis.setClock(at("12:02:00"));

        redis.limiter().acquire(Acquisition.of(shorter, "alice"));

        assertThatTheBanLives(
                Duration.ofMinutes(118).toMillis(), Duration.ofHours(2).toMillis());
        redis.setClock(at("12:59:59"));
        assertThat(redis.limiter().peek(Acquisition.of(longer, "alice")).allowed())
                .isFalse();
    }

    @Test
    void theKeyIsKeptByTheNumbersOfAllPlansOfACall() {
        Limit longer = PLAIN.withBan(2, Duration.ofMinutes(10), Duration.ofHours(1));
        Limit shorter = Limit.of("login", Algorithm.FIXED_WINDOW, 2, Duration.ofDays(300))
                .withBan(2, Duration.ofSeconds(10), Duration.ofMinutes(1));
        redis.setClock(at("12:00:00"));
        Acquisition both = Acquisition.of(longer, "alice").and(shorter, "alice");

        redis.limiter().acquire(Acquisition.of(shorter, "alice", 2));
        redis.limiter().acquire(both);
        redis.limiter().acquire(both);

        assertThatTheBanLives(
                Duration.ofMinutes(119).toMillis(),
                Duration.ofHours(2).plusSeconds(1).toMillis());
    }

    @Test
    void theKeyOfABanOutlivesNoClockThatStepsBack() {
        redis.setClock(at("12:00:00"));
        redis.limiter().ban(BANNING, "alice");

        redis.setClock(at("09:00:00"));
        redis.limiter().peek(Acquisition.of(BANNING, "alice"));

        assertThatTheBanLives(650_000L, 661_000L);
    }

    @Test
    void anUnreadableKeyOfABanFailsItsOwnCalls() {
        redis.setClock(at("12:00:00"));
        for (String text : new String[] {"x", "x".repeat(15), "x".repeat(16), "x".repeat(22), "x".repeat(300)}) {
            redis.redis().psetex(banKey(), 60_000, text);
            Acquisition both = Acquisition.of(PLAIN, "bob").and(BANNING, "alice");

            assertThatThrownBy(() -> redis.limiter().acquire(both))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("a key of limit 'login' holds a value that is not a readable state");
        }
        assertThat(redis.limiter().acquire(Acquisition.of(PLAIN, "bob")).allowed())
                .isTrue();
    }

    @Test
    void aSubjectThatIsHashedIsBannedByItsHash() {
        redis.setClock(at("12:00:00"));
        String subject = "{alice} ".repeat(20);

        redis.limiter().ban(BANNING, subject);

        assertThat(redis.limiter().peek(Acquisition.of(BANNING, subject)).allowed())
                .isFalse();
        assertThat(redis.redis().keys(redis.prefix + "*"))
                .singleElement()
                .asString()
                .contains("{" + SubjectHash.of(subject) + "}")
                .endsWith(":ban");
    }

    /** In ms, when it was written: it may have lived since the test began. */
    private void assertThatTheBanLives(long least, long most) {
        long lives = redis.redis().pttl(banKey());
        long sinceStart = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
        assertThat(lives).isLessThanOrEqualTo(most);
        assertThat(lives + sinceStart).isGreaterThanOrEqualTo(least);
    }

    private String banKey() {
        return StateKeyFormat.banKey(key(BANNING));
    }

    private String key(Limit limit) {
        return new StateKeyFormat(redis.prefix).key(limit, "alice");
    }
}
