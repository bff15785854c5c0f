package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Makes the same calls to the store in memory and the one in Redis at the same time, and compares the answers. */
final class TwinStores implements AutoCloseable {

    private final AtomicLong clock = new AtomicLong();
    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn();
    private int names;
    private RateLimiter memory = InMemoryRateLimiter.create(1_000_000, clock::get);

    /**
     * Begins anew in memory, which sees by the time of about the last decision which subjects are idle: after one of
     * long ago all that comes next would look idle, and a clock that steps back would find forgotten what had run out.
     * For the same reason Redis' keys expire by this clock only if it never steps back.
     */
    void startAt(long micros, boolean stepsBack) {
        redis.expireByClock(!stepsBack);
        setClock(micros);
        memory = InMemoryRateLimiter.create(1_000_000, clock::get);
    }

    /** Returns a name for a limit that has no state yet. */
    String newName() {
        return "limit-" + names++ + "-";
    }

    void setClock(long micros) {
        clock.set(micros);
        redis.setClock(micros);
    }

    Decision acquire(Acquisition acquisition) {
        return same("acquire", acquisition, limiter -> limiter.acquire(acquisition));
    }

    Decision peek(Acquisition acquisition) {
        return same("peek", acquisition, limiter -> limiter.peek(acquisition));
    }

    void settle(Acquisition acquisition, Decision decision, long... actual) {
        memory.settle(acquisition, decision, actual);
        redis.limiter().settle(acquisition, decision, actual);
    }

    void reset(Limit limit, String subject) {
        memory.reset(limit, subject);
        redis.limiter().reset(limit, subject);
    }

    void ban(Limit limit, String subject) {
        memory.ban(limit, subject);
        redis.limiter().ban(limit, subject);
    }

    void unban(Limit limit, String subject) {
        memory.unban(limit, subject);
        redis.limiter().unban(limit, subject);
    }

    void cap(Limit limit, String subject, long remaining, Duration length) {
        memory.cap(limit, subject, remaining, length);
        redis.limiter().cap(limit, subject, remaining, length);
    }

    private Decision same(String operation, Acquisition acquisition, Function<RateLimiter, Decision> question) {
        Decision inMemory = question.apply(memory);
        assertThat(question.apply(redis.limiter()))
                .as("%s %s", operation, acquisition)
                .isEqualTo(inMemory);
        return inMemory;
    }

    @Override
    public void close() {
        redis.close();
    }
}
