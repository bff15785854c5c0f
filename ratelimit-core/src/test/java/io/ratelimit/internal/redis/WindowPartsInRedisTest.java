package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a window in parts asks of Redis does not grow with the number of parts. */
@ExtendWith(NoThreadsLeft.class)
class WindowPartsInRedisTest {

    private static final Pattern CALLS = Pattern.compile("cmdstat_(getrange|setrange):calls=(\\d+)");

    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn();

    @AfterEach
    void close() {
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 60, 3_600})
    void aDecisionReadsAndWritesAFewBytesHoweverManyPartsThereAre(int buckets) {
        Acquisition one = Acquisition.of(counter(1_000_000, buckets), "alice");
        long now = at("12:00:00");
        redis.setClock(now);
        redis.limiter().acquire(one);
        for (int call = 0; call < 50; call++) {
            now += call % 5 * 700L * SECOND;
            redis.setClock(now);
            long before = commands();
            assertThat(redis.limiter().acquire(one).allowed()).isTrue();
            assertThat(commands() - before).isLessThanOrEqualTo(7); // two of them because a ring has an end
        }
    }

    @Test
    void aRefusalLooksForTheEndOfItsWaitByHalves() {
        Limit limit = counter(3_000, 3_600);
        long now = at("12:00:00");
        for (int call = 0; call < 3_000; call++) {
            redis.setClock(now += SECOND);
            assertThat(redis.limiter().acquire(Acquisition.of(limit, "alice")).allowed())
                    .isTrue();
        }
        long before = commands();

        Duration wait =
                redis.limiter().acquire(Acquisition.of(limit, "alice", 1_500)).retryAfter();

        assertThat(wait).isEqualTo(Duration.ofSeconds(2_101).minusNanos(999_999_000));
        assertThat(commands() - before).isLessThanOrEqualTo(3 + 2 * 13);
    }

    @Test
    void limitsWithOtherNumbersOfPartsShareNothing() {
        redis.setClock(at("12:00:00"));
        redis.limiter().acquire(Acquisition.of(counter(5, 6), "alice", 5));

        assertThat(redis.limiter().peek(Acquisition.of(counter(5, 6), "alice")).remaining())
                .isZero();
        assertThat(redis.limiter().peek(Acquisition.of(counter(5, 12), "alice")).remaining())
                .isEqualTo(5);
        assertThat(redis.limiter()
                        .peek(Acquisition.of(counter(5, 6).withBuckets(1), "alice"))
                        .remaining())
                .isEqualTo(5);
    }

    private static Limit counter(long maxRequests, int buckets) {
        return Limit.of("hourly", Algorithm.SLIDING_WINDOW_COUNTER, maxRequests, Duration.ofHours(1))
                .withBuckets(buckets);
    }

    /** Of this Redis, which tests of other processes may share: more than asked for would fail a test, not pass one. */
    private long commands() {
        Matcher calls = CALLS.matcher(redis.redis().info("commandstats"));
        long sum = 0;
        while (calls.find()) {
            sum += Long.parseLong(calls.group(2));
        }
        return sum;
    }
}
