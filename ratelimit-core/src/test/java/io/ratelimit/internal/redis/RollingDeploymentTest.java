package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** While a deployment rolls, instances with old and with new numbers of a limit count in one Redis. */
class RollingDeploymentTest {

    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn().withoutExpiry();

    @AfterEach
    void close() {
        redis.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void eachWindowIsKeptForItself(Algorithm algorithm) {
        Acquisition old = asked(algorithm, 10, 60);
        Acquisition changed = asked(algorithm, 10, 5);
        int oldAdmitted = 0;
        int changedAdmitted = 0;
        for (int second = 0; second < 60; second++) {
            redis.setClock(TestTime.at("12:00:00") + second * SECOND);
            oldAdmitted += redis.limiter().acquire(old).allowed() ? 1 : 0;
            changedAdmitted += redis.limiter().acquire(changed).allowed() ? 1 : 0;
        }

        // 60 s of refill are ten tokens more
        assertThat(oldAdmitted).isBetween(10, algorithm == Algorithm.TOKEN_BUCKET ? 20 : 10);
        assertThat(changedAdmitted).isEqualTo(60);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aRaisedAndALoweredMaxAreKeptOverTheSameCounts(Algorithm algorithm) {
        redis.setClock(TestTime.at("12:00:00"));
        Acquisition few = asked(algorithm, 5, 60);
        Acquisition many = asked(algorithm, 20, 60);
        RateLimiter limiter = redis.limiter();

        int byFew = 0;
        int byMany = 0;
        for (int i = 0; i < 40; i++) {
            byFew += limiter.acquire(few).allowed() ? 1 : 0;
            byMany += limiter.acquire(many).allowed() ? 1 : 0;
        }

        assertThat(byFew).isEqualTo(3);
        assertThat(byMany).isEqualTo(17);
        assertThat(redis.redis().keys(redis.prefix + "*")).hasSize(1);
    }

    private static Acquisition asked(Algorithm algorithm, long max, int seconds) {
        return Acquisition.of(Limit.of("api", algorithm, max, Duration.ofSeconds(seconds)), "eve");
    }
}
